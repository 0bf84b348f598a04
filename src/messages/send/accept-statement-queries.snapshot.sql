-- plain, handed off
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), accepted as materialized (
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at 
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[]) as t (id, peer, body, metadata, shared) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where  b.campaign_id = k.campaign_id
      and b.recipient = t.peer)), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, ($9::text[])[1], ($9::text[])[cardinality($9::text[])],
      $2::timestamptz + interval '60000 milliseconds')
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      'QUEUED' as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, 'SMS', 'QUEUED'
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- plain, queued
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), accepted as materialized (
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at 
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[]) as t (id, peer, body, metadata, shared) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where  b.campaign_id = k.campaign_id
      and b.recipient = t.peer)), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  scheduled as (
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select own.account_id, campaign_id, route, min(due_at)
    from (select account_id from accounts where account_id = $1) own left join accepted on due_at is not null where coalesce(campaign_id, '') <> ''
    group by own.account_id, campaign_id, route order by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      'QUEUED' as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, 'SMS', 'QUEUED'
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- plain, queued and handed off
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), accepted as materialized (
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at 
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[]) as t (id, peer, body, metadata, shared) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where  b.campaign_id = k.campaign_id
      and b.recipient = t.peer)), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  scheduled as (
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select own.account_id, campaign_id, route, min(due_at)
    from (select account_id from accounts where account_id = $1) own left join accepted on due_at is not null where coalesce(campaign_id, '') <> ''
    group by own.account_id, campaign_id, route order by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at
  ), 
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, ($9::text[])[1], ($9::text[])[cardinality($9::text[])],
      $2::timestamptz + interval '60000 milliseconds')
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      'QUEUED' as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, 'SMS', 'QUEUED'
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- plain, keyed, handed off
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), allowed as materialized (
    
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at 
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[], $14::text[], $15::bytea[], $16::text[]) as t (id, peer, body, metadata, shared, key, request_hash, answer) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where  b.campaign_id = k.campaign_id
      and b.recipient = t.peer)
  ), 
  keyed as (
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    select distinct on (key) own.account_id, key, request_hash, answer, $2::timestamptz
    from (select account_id from accounts where account_id = $1) own left join allowed on key is not null where coalesce(id, '') <> '' order by key, id
    on conflict (account_id, key) do update set request_hash = excluded.request_hash,
      answer = excluded.answer, created_at = excluded.created_at
    where excluded.created_at - k.created_at >= interval '86400000 milliseconds'
    returning key, answer
  ), accepted as materialized (
    select * from allowed
    where key is null or exists (select 1 from keyed
      where keyed.key = allowed.key and keyed.answer = allowed.answer)
  ), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, ($9::text[])[1], ($9::text[])[cardinality($9::text[])],
      $2::timestamptz + interval '60000 milliseconds')
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      'QUEUED' as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, 'SMS', 'QUEUED'
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- plain, keyed, queued
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), allowed as materialized (
    
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at 
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[], $14::text[], $15::bytea[], $16::text[]) as t (id, peer, body, metadata, shared, key, request_hash, answer) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where  b.campaign_id = k.campaign_id
      and b.recipient = t.peer)
  ), 
  keyed as (
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    select distinct on (key) own.account_id, key, request_hash, answer, $2::timestamptz
    from (select account_id from accounts where account_id = $1) own left join allowed on key is not null where coalesce(id, '') <> '' order by key, id
    on conflict (account_id, key) do update set request_hash = excluded.request_hash,
      answer = excluded.answer, created_at = excluded.created_at
    where excluded.created_at - k.created_at >= interval '86400000 milliseconds'
    returning key, answer
  ), accepted as materialized (
    select * from allowed
    where key is null or exists (select 1 from keyed
      where keyed.key = allowed.key and keyed.answer = allowed.answer)
  ), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  scheduled as (
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select own.account_id, campaign_id, route, min(due_at)
    from (select account_id from accounts where account_id = $1) own left join accepted on due_at is not null where coalesce(campaign_id, '') <> ''
    group by own.account_id, campaign_id, route order by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      'QUEUED' as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, 'SMS', 'QUEUED'
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- plain, keyed, queued and handed off
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), allowed as materialized (
    
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at 
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[], $14::text[], $15::bytea[], $16::text[]) as t (id, peer, body, metadata, shared, key, request_hash, answer) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where  b.campaign_id = k.campaign_id
      and b.recipient = t.peer)
  ), 
  keyed as (
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    select distinct on (key) own.account_id, key, request_hash, answer, $2::timestamptz
    from (select account_id from accounts where account_id = $1) own left join allowed on key is not null where coalesce(id, '') <> '' order by key, id
    on conflict (account_id, key) do update set request_hash = excluded.request_hash,
      answer = excluded.answer, created_at = excluded.created_at
    where excluded.created_at - k.created_at >= interval '86400000 milliseconds'
    returning key, answer
  ), accepted as materialized (
    select * from allowed
    where key is null or exists (select 1 from keyed
      where keyed.key = allowed.key and keyed.answer = allowed.answer)
  ), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  scheduled as (
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select own.account_id, campaign_id, route, min(due_at)
    from (select account_id from accounts where account_id = $1) own left join accepted on due_at is not null where coalesce(campaign_id, '') <> ''
    group by own.account_id, campaign_id, route order by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at
  ), 
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, ($9::text[])[1], ($9::text[])[cardinality($9::text[])],
      $2::timestamptz + interval '60000 milliseconds')
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      'QUEUED' as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, 'SMS', 'QUEUED'
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- full, handed off
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), accepted as materialized (
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at , to_timestamp(t.scheduled_ms / 1000.0::float8) as scheduled_at,
    to_timestamp(t.expires_ms / 1000.0::float8) as expires_at
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[], $14::text[], $15::jsonb[], $16::bigint[], $17::text[], $18::smallint[], $19::bigint[]) as t (id, peer, body, metadata, shared, type, media_urls, scheduled_ms, automatic, validity, expires_ms) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where t.automatic is null and b.campaign_id = k.campaign_id
      and b.recipient = t.peer)), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, ($9::text[])[1], ($9::text[])[cardinality($9::text[])],
      $2::timestamptz + interval '60000 milliseconds')
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      case when scheduled_at is not null then 'SCHEDULED' else 'QUEUED' end as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route, scheduled_at is not null
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status, media_urls, is_reply, automatic, scheduled_at, validity_seconds, expires_at)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, type, case when scheduled_at is null then 'QUEUED' else 'SCHEDULED' end, media_urls,
    automatic is not null, automatic, scheduled_at, validity, expires_at
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- full, queued
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), accepted as materialized (
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at , to_timestamp(t.scheduled_ms / 1000.0::float8) as scheduled_at,
    to_timestamp(t.expires_ms / 1000.0::float8) as expires_at
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[], $14::text[], $15::jsonb[], $16::bigint[], $17::text[], $18::smallint[], $19::bigint[]) as t (id, peer, body, metadata, shared, type, media_urls, scheduled_ms, automatic, validity, expires_ms) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where t.automatic is null and b.campaign_id = k.campaign_id
      and b.recipient = t.peer)), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  scheduled as (
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select own.account_id, campaign_id, route, min(due_at)
    from (select account_id from accounts where account_id = $1) own left join accepted on due_at is not null where coalesce(campaign_id, '') <> ''
    group by own.account_id, campaign_id, route order by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      case when scheduled_at is not null then 'SCHEDULED' else 'QUEUED' end as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route, scheduled_at is not null
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status, media_urls, is_reply, automatic, scheduled_at, validity_seconds, expires_at)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, type, case when scheduled_at is null then 'QUEUED' else 'SCHEDULED' end, media_urls,
    automatic is not null, automatic, scheduled_at, validity, expires_at
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- full, queued and handed off
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), accepted as materialized (
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at , to_timestamp(t.scheduled_ms / 1000.0::float8) as scheduled_at,
    to_timestamp(t.expires_ms / 1000.0::float8) as expires_at
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[], $14::text[], $15::jsonb[], $16::bigint[], $17::text[], $18::smallint[], $19::bigint[]) as t (id, peer, body, metadata, shared, type, media_urls, scheduled_ms, automatic, validity, expires_ms) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where t.automatic is null and b.campaign_id = k.campaign_id
      and b.recipient = t.peer)), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  scheduled as (
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select own.account_id, campaign_id, route, min(due_at)
    from (select account_id from accounts where account_id = $1) own left join accepted on due_at is not null where coalesce(campaign_id, '') <> ''
    group by own.account_id, campaign_id, route order by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at
  ), 
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, ($9::text[])[1], ($9::text[])[cardinality($9::text[])],
      $2::timestamptz + interval '60000 milliseconds')
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      case when scheduled_at is not null then 'SCHEDULED' else 'QUEUED' end as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route, scheduled_at is not null
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status, media_urls, is_reply, automatic, scheduled_at, validity_seconds, expires_at)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, type, case when scheduled_at is null then 'QUEUED' else 'SCHEDULED' end, media_urls,
    automatic is not null, automatic, scheduled_at, validity, expires_at
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- full, keyed, handed off
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), allowed as materialized (
    
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at , to_timestamp(t.scheduled_ms / 1000.0::float8) as scheduled_at,
    to_timestamp(t.expires_ms / 1000.0::float8) as expires_at
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[], $14::text[], $15::jsonb[], $16::bigint[], $17::text[], $18::smallint[], $19::bigint[], $20::text[], $21::bytea[], $22::text[]) as t (id, peer, body, metadata, shared, type, media_urls, scheduled_ms, automatic, validity, expires_ms, key, request_hash, answer) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where t.automatic is null and b.campaign_id = k.campaign_id
      and b.recipient = t.peer)
  ), 
  keyed as (
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    select distinct on (key) own.account_id, key, request_hash, answer, $2::timestamptz
    from (select account_id from accounts where account_id = $1) own left join allowed on key is not null where coalesce(id, '') <> '' order by key, id
    on conflict (account_id, key) do update set request_hash = excluded.request_hash,
      answer = excluded.answer, created_at = excluded.created_at
    where excluded.created_at - k.created_at >= interval '86400000 milliseconds'
    returning key, answer
  ), accepted as materialized (
    select * from allowed
    where key is null or exists (select 1 from keyed
      where keyed.key = allowed.key and keyed.answer = allowed.answer)
  ), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, ($9::text[])[1], ($9::text[])[cardinality($9::text[])],
      $2::timestamptz + interval '60000 milliseconds')
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      case when scheduled_at is not null then 'SCHEDULED' else 'QUEUED' end as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route, scheduled_at is not null
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status, media_urls, is_reply, automatic, scheduled_at, validity_seconds, expires_at)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, type, case when scheduled_at is null then 'QUEUED' else 'SCHEDULED' end, media_urls,
    automatic is not null, automatic, scheduled_at, validity, expires_at
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- full, keyed, queued
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), allowed as materialized (
    
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at , to_timestamp(t.scheduled_ms / 1000.0::float8) as scheduled_at,
    to_timestamp(t.expires_ms / 1000.0::float8) as expires_at
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[], $14::text[], $15::jsonb[], $16::bigint[], $17::text[], $18::smallint[], $19::bigint[], $20::text[], $21::bytea[], $22::text[]) as t (id, peer, body, metadata, shared, type, media_urls, scheduled_ms, automatic, validity, expires_ms, key, request_hash, answer) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where t.automatic is null and b.campaign_id = k.campaign_id
      and b.recipient = t.peer)
  ), 
  keyed as (
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    select distinct on (key) own.account_id, key, request_hash, answer, $2::timestamptz
    from (select account_id from accounts where account_id = $1) own left join allowed on key is not null where coalesce(id, '') <> '' order by key, id
    on conflict (account_id, key) do update set request_hash = excluded.request_hash,
      answer = excluded.answer, created_at = excluded.created_at
    where excluded.created_at - k.created_at >= interval '86400000 milliseconds'
    returning key, answer
  ), accepted as materialized (
    select * from allowed
    where key is null or exists (select 1 from keyed
      where keyed.key = allowed.key and keyed.answer = allowed.answer)
  ), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  scheduled as (
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select own.account_id, campaign_id, route, min(due_at)
    from (select account_id from accounts where account_id = $1) own left join accepted on due_at is not null where coalesce(campaign_id, '') <> ''
    group by own.account_id, campaign_id, route order by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      case when scheduled_at is not null then 'SCHEDULED' else 'QUEUED' end as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route, scheduled_at is not null
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status, media_urls, is_reply, automatic, scheduled_at, validity_seconds, expires_at)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, type, case when scheduled_at is null then 'QUEUED' else 'SCHEDULED' end, media_urls,
    automatic is not null, automatic, scheduled_at, validity, expires_at
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;

-- full, keyed, queued and handed off
with 
  shared as materialized (
    select t.*, to_timestamp(t.due_ms / 1000.0::float8) as due_at
    from unnest($3::text[], $4::text[], $5::text[], $6::smallint[], $7::bigint[], $8::bigint[]) with ordinality as t (campaign_id, number, route, segments, price, due_ms, ordinal)
    where exists (select 1 from campaigns c
      where c.account_id = $1 and c.id = t.campaign_id and c.status = 'ACTIVE')
  ), 
  opted_out as materialized (
    select campaign_id, recipient from optouts
    where account_id = $1 and campaign_id = any (array(select campaign_id from shared))
      and recipient = any ($10::text[])
  ), allowed as materialized (
    
    select t.*, k.campaign_id, k.number, k.route, k.segments, k.price, k.due_at , to_timestamp(t.scheduled_ms / 1000.0::float8) as scheduled_at,
    to_timestamp(t.expires_ms / 1000.0::float8) as expires_at
    from unnest($9::text[], $10::text[], $11::text[], $12::jsonb[], $13::integer[], $14::text[], $15::jsonb[], $16::bigint[], $17::text[], $18::smallint[], $19::bigint[], $20::text[], $21::bytea[], $22::text[]) as t (id, peer, body, metadata, shared, type, media_urls, scheduled_ms, automatic, validity, expires_ms, key, request_hash, answer) join shared k on k.ordinal = t.shared
    where not exists (select 1 from opted_out b where t.automatic is null and b.campaign_id = k.campaign_id
      and b.recipient = t.peer)
  ), 
  keyed as (
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    select distinct on (key) own.account_id, key, request_hash, answer, $2::timestamptz
    from (select account_id from accounts where account_id = $1) own left join allowed on key is not null where coalesce(id, '') <> '' order by key, id
    on conflict (account_id, key) do update set request_hash = excluded.request_hash,
      answer = excluded.answer, created_at = excluded.created_at
    where excluded.created_at - k.created_at >= interval '86400000 milliseconds'
    returning key, answer
  ), accepted as materialized (
    select * from allowed
    where key is null or exists (select 1 from keyed
      where keyed.key = allowed.key and keyed.answer = allowed.answer)
  ), 
  
    paid as (
      update account_ledgers set wallet_micros = wallet_micros - due.micros,
        messages_micros = messages_micros + due.micros
      from (select sum(price)::bigint as micros from accepted) due
      where account_id = $1 and due.micros > 0
    ), charged as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at, entries, message_ids, message_micros)
      select own.account_id, 'trf' || substr(min(id), 4), 'message', min(id), 'wallet', 'messages', sum(price),
        campaign_id, $2, count(*), case when count(*) > 1 then array_agg(id) end,
        case when count(*) > 1 then array_agg(price) end
      from (select account_id from accounts where account_id = $1) own left join accepted on price > 0 where coalesce(id, '') <> ''
      group by own.account_id, campaign_id
    ), 
  scheduled as (
    insert into lanes as l (account_id, campaign_id, route, next_due_at)
    select own.account_id, campaign_id, route, min(due_at)
    from (select account_id from accounts where account_id = $1) own left join accepted on due_at is not null where coalesce(campaign_id, '') <> ''
    group by own.account_id, campaign_id, route order by campaign_id, route
    on conflict (account_id, campaign_id, route) do update set next_due_at = excluded.next_due_at
    where l.next_due_at is null or l.next_due_at > excluded.next_due_at
  ), 
  handed as (
    insert into handoffs (account_id, first_id, last_id, lease_until)
    values ($1, ($9::text[])[1], ($9::text[])[cardinality($9::text[])],
      $2::timestamptz + interval '60000 milliseconds')
  ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, segments, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      0 as sequence,
      date_bin('1 hour', $2::timestamptz, timestamptz 'epoch') as start,
      null::text as from_status,
      -32768 as from_step,
      case when scheduled_at is not null then 'SCHEDULED' else 'QUEUED' end as to_status,
      0 as to_error,
      -32768 as to_step,
      sum(segments) as segments,
      -sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route, scheduled_at is not null
  ), written as (
    insert into messages (account_id, id, campaign_id, direction, number, peer, route, body,
      metadata, num_segments, price_micros, due_at, created_at, updated_at, type, status, media_urls, is_reply, automatic, scheduled_at, validity_seconds, expires_at)
    select own.account_id, id, campaign_id, 'OUTBOUND', number, peer, route, body, metadata, segments, price,
      due_at, $2, $2, type, case when scheduled_at is null then 'QUEUED' else 'SCHEDULED' end, media_urls,
    automatic is not null, automatic, scheduled_at, validity, expires_at
    from (select account_id from accounts where account_id = $1) own left join accepted on true where coalesce(id, '') <> ''
    returning 1
  )
  select count(*)::int as count from written;
