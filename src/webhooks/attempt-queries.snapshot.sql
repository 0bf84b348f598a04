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
