-- all were delivered
with 
    delivered as (
      update event_deliveries d
      set state = 'delivered', due_at = null, lease_until = null, waits_until = null,
        attempts = d.attempts + 1, finished_at = $2
      where d.account_id = $1 and d.id = any ($12::text[])
        and d.lease_until = any ($13::timestamptz[])
      returning d.id
    ), 
  recorded as (
    insert into webhook_attempts (account_id, delivery_id, attempt, at, response_status, duration_ms,
      error, request_body, request_head, response_body)
    select own.account_id, id, attempt, to_timestamp(at_ms / 1000.0::float8), status, duration_ms, error, request,
      head, response
    from unnest($3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::integer[], $8::text[], $9::text[], $10::text[], $11::text[]) as o (id, attempt, at_ms, status, duration_ms, error, request, head, response) cross join (select account_id from accounts where account_id = $1) own
    where o.id in (select id from delivered)
  ) select 1;

-- some were not
with failure as (
    select * from unnest($14::text[], $15::text[], $16::timestamptz[], $17::timestamptz[]) as f (id, subscriber_id, lease_until, due_at)
  ), 
    delivered as (
      update event_deliveries d
      set state = 'delivered', due_at = null, lease_until = null, waits_until = null,
        attempts = d.attempts + 1, finished_at = $2
      where d.account_id = $1 and d.id = any ($12::text[])
        and d.lease_until = any ($13::timestamptz[])
      returning d.id
    ), 
    undelivered as (
      update event_deliveries d
      set state = case when o.due_at is null then 'failed' when s.is_enabled then 'pending'
          else 'held' end,
        due_at = case when s.is_enabled then o.due_at end, lease_until = null,
        attempts = d.attempts + 1, finished_at = case when o.due_at is null then $2::timestamptz end
      from failure o
      left join event_subscriptions s on s.account_id = $1 and s.subscriber_id = o.subscriber_id
      where d.account_id = $1 and d.id = any (array(select id from failure)) and d.id = o.id
        and d.lease_until = o.lease_until
      returning d.id
    ), 
  recorded as (
    insert into webhook_attempts (account_id, delivery_id, attempt, at, response_status, duration_ms,
      error, request_body, request_head, response_body)
    select own.account_id, id, attempt, to_timestamp(at_ms / 1000.0::float8), status, duration_ms, error, request,
      head, response
    from unnest($3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::integer[], $8::text[], $9::text[], $10::text[], $11::text[]) as o (id, attempt, at_ms, status, duration_ms, error, request, head, response) cross join (select account_id from accounts where account_id = $1) own
    where o.id in (select id from delivered union all select id from undelivered)
  ) select 1;

-- delivered without the queue
with held as (
    select id, subscriber_id, created_at, lease_until from delivery_batches
    where account_id = $1 and id = any ($3::text[])
    for key share
  ), ended as (
    delete from delivery_batches where account_id = $1 and id = any ($4::text[])
    returning id, subscriber_id, created_at, lease_until
  ), valid as (
    select * from held union all select * from ended
  ), delivered as (
    select 'dlv' || substr(o.event_id, 4, 14) || right(lpad(to_hex(hashtextextended(o.event_id || v.subscriber_id, 0)), 16, '0'), 13) as id, v.subscriber_id, o.event_id,
      'message.status' as event_type, o.message_id, right(o.event_id, 2)::smallint as sequence, v.created_at, to_timestamp(o.at_ms / 1000.0::float8) as attempted_at, o.status as response_status,
      o.duration_ms, o.response as response_body, o.request
    from unnest($5::text[], $6::text[], $7::text[], $8::bigint[], $9::smallint[], $10::integer[], $11::text[], $12::text[]) as o (batch_id, event_id, message_id, at_ms, status, duration_ms, response, request) join valid v on v.id = o.batch_id
  ), recorded as (
    insert into event_arrivals (account_id, id, subscriber_id, event_id, event_type, message_id, sequence, created_at, attempted_at, response_status, duration_ms, response_body, request,
      finished_at)
    select own.account_id, id, subscriber_id, event_id, event_type, message_id, sequence, created_at, attempted_at, response_status, duration_ms, response_body, request, $2
    from (select account_id from accounts where account_id = $1) own left join delivered on true where coalesce(id, '') <> ''
  ) select 1;

-- not delivered, without the queue
with held as (
    select id, subscriber_id, created_at, lease_until from delivery_batches
    where account_id = $1 and id = any ($3::text[])
    for key share
  ), ended as (
    delete from delivery_batches where account_id = $1 and id = any ($4::text[])
    returning id, subscriber_id, created_at, lease_until
  ), valid as (
    select * from held union all select * from ended
  ), returned as (
    select 'dlv' || substr(o.event_id, 4, 14) || right(lpad(to_hex(hashtextextended(o.event_id || v.subscriber_id, 0)), 16, '0'), 13) as id, v.subscriber_id, o.event_id,
      'message.status' as event_type, o.message_id, right(o.event_id, 2)::smallint as sequence, v.created_at, case when $8::boolean then v.lease_until end as lease_until
    from unnest($5::text[], $6::text[], $7::text[]) as o (batch_id, event_id, message_id) join valid v on v.id = o.batch_id
  ), queued as (
    insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, message_id, sequence, created_at, lease_until, state, due_at)
    select own.account_id, id, subscriber_id, event_id, event_type, message_id, sequence, created_at, lease_until, 'pending', $2 from (select account_id from accounts where account_id = $1) own left join returned on true where coalesce(id, '') <> ''
  ) select 1;

  with failure as (
    select * from unnest($14::text[], $15::text[], $16::timestamptz[], $17::timestamptz[]) as f (id, subscriber_id, lease_until, due_at)
  ), 
    delivered as (
      update event_deliveries d
      set state = 'delivered', due_at = null, lease_until = null, waits_until = null,
        attempts = d.attempts + 1, finished_at = $2
      where d.account_id = $1 and d.id = any ($12::text[])
        and d.lease_until = any ($13::timestamptz[])
      returning d.id
    ), 
    undelivered as (
      update event_deliveries d
      set state = case when o.due_at is null then 'failed' when s.is_enabled then 'pending'
          else 'held' end,
        due_at = case when s.is_enabled then o.due_at end, lease_until = null,
        attempts = d.attempts + 1, finished_at = case when o.due_at is null then $2::timestamptz end
      from failure o
      left join event_subscriptions s on s.account_id = $1 and s.subscriber_id = o.subscriber_id
      where d.account_id = $1 and d.id = any (array(select id from failure)) and d.id = o.id
        and d.lease_until = o.lease_until
      returning d.id
    ), 
  recorded as (
    insert into webhook_attempts (account_id, delivery_id, attempt, at, response_status, duration_ms,
      error, request_body, request_head, response_body)
    select own.account_id, id, attempt, to_timestamp(at_ms / 1000.0::float8), status, duration_ms, error, request,
      head, response
    from unnest($3::text[], $4::integer[], $5::bigint[], $6::smallint[], $7::integer[], $8::text[], $9::text[], $10::text[], $11::text[]) as o (id, attempt, at_ms, status, duration_ms, error, request, head, response) cross join (select account_id from accounts where account_id = $1) own
    where o.id in (select id from delivered union all select id from undelivered)
  ) select 1;
