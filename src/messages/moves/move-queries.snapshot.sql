-- move
with moved as (
    update messages m
    set  status = $6::text, error_code = $8::integer,
      error_message = $9::text, updated_at = $2,
      sent_at = case when $6::text in ('SENT', 'DELIVERED', 'READ')
        then coalesce(m.sent_at, $2) else m.sent_at end,
      due_at = $10::timestamptz, settle_at = null, unproven_at = $11::timestamptz, sequence = m.sequence + 1,
      timeline = case when cardinality(m.timeline) < 70
        then m.timeline || ($12::text || coalesce($13::jsonb ->> m.id, '')) else m.timeline end
    
    where m.account_id = $1 and m.id = any ($3::text::text[]) and m.id >= concat($4::text) and m.id <= concat($5::text) and m.status = $7::text and (not m.is_refunded or m.status <> 'SENT')
    returning m.id as id,
      m.campaign_id as campaign_id,
      m.number as number,
      m.sequence as sequence,
      m.price_micros as price,
      m.unknown_link as unknown_link,
      $14::text || substr(m.id, 15, 14) as stem,
      m.metadata as metadata,
      m.route as route,
      date_bin('1 hour', m.created_at, timestamptz 'epoch') as start,
      case when m.direction = 'OUTBOUND' and m.status = 'DELIVERED' and m.updated_at > m.sent_at
    then round(ln(date_part('epoch', m.updated_at - m.sent_at)) * 20)::smallint
    else (-32768)::smallint end as to_step,
      (-32768)::smallint as from_step
  ), happened as (
    select 'evt_' || stem || lpad(sequence::text, 2, '0') as id,
      'message.status' as event_type,
      campaign_id as campaign_id,
      number as number,
      id as message_id,
      sequence as sequence,
      $6::text as status,
      $7::text as previous_status,
      $8::integer as error_code,
      $9::text as error_message,
      null::jsonb as data,
      metadata as metadata from moved
  ), 
    appended as (
      insert into events (account_id, id, event_type, campaign_id, number, message_id, sequence, status, previous_status, error_code, error_message, data, created_at)
      select own.account_id, id, event_type, campaign_id, number, message_id, sequence, status, previous_status, error_code, error_message, data, $2 from (select account_id from accounts where account_id = $1) own left join happened on true where coalesce(id, '') <> ''
    ), fanned as (
      select s.subscriber_id, s.is_enabled, e.id as event_id, e.event_type, e.message_id, e.sequence,
        s.is_enabled and s.subscriber_id = any ($15::text[]) as is_direct
      from event_subscriptions s left join happened e on e.event_type = any (s.event_types)
        and s.campaign_id = any (array[e.campaign_id, left(e.campaign_id, 0)])
        and (s.numbers is null or e.number = any (s.numbers))
        and (s.receipts_of is null or s.receipts_of = case when e.metadata ?| '{smppReceipt,smppParts}' then e.metadata ->> 'smpp'
        when e.metadata ? 'twilioStatusCallback' then 'twilio' end)
      where s.account_id = $1 and s.campaign_id = any (array(select campaign_id from happened) || ''::text) and coalesce(e.id, '') <> ''
    ), fanned_out as (
      insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, message_id,
        sequence, state, due_at, created_at)
      select own.account_id, 'dlv' || substr(event_id, 4, 14) || right(lpad(to_hex(hashtextextended(event_id || subscriber_id, 0)), 16, '0'), 13), subscriber_id, event_id, event_type, message_id, sequence,
        case when is_enabled then 'pending' else 'held' end,
        case when is_enabled then $2::timestamptz end, $2
      from (select account_id from accounts where account_id = $1) own left join fanned on not is_direct where coalesce(event_id, '') <> ''
      returning 1
    ), batched as (
      insert into delivery_batches (account_id, id, subscriber_id, event_ids, lease_until, created_at)
      select own.account_id, ($16::text[])[array_position($15::text[], subscriber_id)], subscriber_id,
        array_agg(event_id), $17::timestamptz, $2
      from (select account_id from accounts where account_id = $1) own left join fanned on is_direct where coalesce(event_id, '') <> ''
      group by own.account_id, subscriber_id
    ), in_flight as (
      select b.subscriber_id, substr(one.event_id, 15, 14) as rest
      from delivery_batches b cross join unnest(b.event_ids) as one (event_id)
      where b.account_id = $1 and b.subscriber_id = any ($15::text[]) and b.id <> all ($16::text[])
    ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      sequence as sequence,
      start as start,
      $7::text as from_status,
      from_step as from_step,
      $6::text as to_status,
      coalesce($8::integer, 0) as to_error,
      to_step as to_step,
      0 as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join moved on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route, sequence, start, from_step, to_step
  )
  select (select string_agg(id, ' ') from moved) as moved,
    (select string_agg(id, ' ') from moved where unknown_link is not null) as unnamed,
    (select count(*)::int from fanned_out) as deliveries, (
  select string_agg('dlv' || substr(f.event_id, 4, 14) || right(lpad(to_hex(hashtextextended(f.event_id || f.subscriber_id, 0)), 16, '0'), 13) || ' ' || f.subscriber_id || ' ' || f.event_id
    || ' ' || f.message_id || ' ' || f.sequence || case when f.sequence > 1 and ((f.subscriber_id, substr(f.message_id, 15, 14)) in (select subscriber_id, rest from in_flight)
      or exists (
        select 1 from event_deliveries p
        where p.account_id = $1 and p.subscriber_id = f.subscriber_id and p.message_id = f.message_id
          and p.sequence < f.sequence and p.state = 'pending')) then ' behind' else '' end, ',')
  from fanned f where f.is_direct) as leased;

-- move and refund
with moved as (
    update messages m
    set is_refunded = true, status = $6::text, error_code = $8::integer,
      error_message = $9::text, updated_at = $2,
      sent_at = case when $6::text in ('SENT', 'DELIVERED', 'READ')
        then coalesce(m.sent_at, $2) else m.sent_at end,
      due_at = $10::timestamptz, settle_at = null, unproven_at = $11::timestamptz, sequence = m.sequence + 1,
      timeline = case when cardinality(m.timeline) < 70
        then m.timeline || ($12::text || coalesce($13::jsonb ->> m.id, '')) else m.timeline end
    
    where m.account_id = $1 and m.id = any ($3::text::text[]) and m.id >= concat($4::text) and m.id <= concat($5::text) and m.status = $7::text and (not m.is_refunded or m.status <> 'SENT')
    returning m.id as id,
      m.campaign_id as campaign_id,
      m.number as number,
      m.sequence as sequence,
      m.price_micros as price,
      m.unknown_link as unknown_link,
      $14::text || substr(m.id, 15, 14) as stem,
      m.metadata as metadata,
      m.route as route,
      date_bin('1 hour', m.created_at, timestamptz 'epoch') as start,
      case when m.direction = 'OUTBOUND' and m.status = 'DELIVERED' and m.updated_at > m.sent_at
    then round(ln(date_part('epoch', m.updated_at - m.sent_at)) * 20)::smallint
    else (-32768)::smallint end as to_step,
      (-32768)::smallint as from_step
  ), happened as (
    select 'evt_' || stem || lpad(sequence::text, 2, '0') as id,
      'message.status' as event_type,
      campaign_id as campaign_id,
      number as number,
      id as message_id,
      sequence as sequence,
      $6::text as status,
      $7::text as previous_status,
      $8::integer as error_code,
      $9::text as error_message,
      null::jsonb as data,
      metadata as metadata from moved
  ), 
    appended as (
      insert into events (account_id, id, event_type, campaign_id, number, message_id, sequence, status, previous_status, error_code, error_message, data, created_at)
      select own.account_id, id, event_type, campaign_id, number, message_id, sequence, status, previous_status, error_code, error_message, data, $2 from (select account_id from accounts where account_id = $1) own left join happened on true where coalesce(id, '') <> ''
    ), fanned as (
      select s.subscriber_id, s.is_enabled, e.id as event_id, e.event_type, e.message_id, e.sequence,
        s.is_enabled and s.subscriber_id = any ($15::text[]) as is_direct
      from event_subscriptions s left join happened e on e.event_type = any (s.event_types)
        and s.campaign_id = any (array[e.campaign_id, left(e.campaign_id, 0)])
        and (s.numbers is null or e.number = any (s.numbers))
        and (s.receipts_of is null or s.receipts_of = case when e.metadata ?| '{smppReceipt,smppParts}' then e.metadata ->> 'smpp'
        when e.metadata ? 'twilioStatusCallback' then 'twilio' end)
      where s.account_id = $1 and s.campaign_id = any (array(select campaign_id from happened) || ''::text) and coalesce(e.id, '') <> ''
    ), fanned_out as (
      insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, message_id,
        sequence, state, due_at, created_at)
      select own.account_id, 'dlv' || substr(event_id, 4, 14) || right(lpad(to_hex(hashtextextended(event_id || subscriber_id, 0)), 16, '0'), 13), subscriber_id, event_id, event_type, message_id, sequence,
        case when is_enabled then 'pending' else 'held' end,
        case when is_enabled then $2::timestamptz end, $2
      from (select account_id from accounts where account_id = $1) own left join fanned on not is_direct where coalesce(event_id, '') <> ''
      returning 1
    ), batched as (
      insert into delivery_batches (account_id, id, subscriber_id, event_ids, lease_until, created_at)
      select own.account_id, ($16::text[])[array_position($15::text[], subscriber_id)], subscriber_id,
        array_agg(event_id), $17::timestamptz, $2
      from (select account_id from accounts where account_id = $1) own left join fanned on is_direct where coalesce(event_id, '') <> ''
      group by own.account_id, subscriber_id
    ), in_flight as (
      select b.subscriber_id, substr(one.event_id, 15, 14) as rest
      from delivery_batches b cross join unnest(b.event_ids) as one (event_id)
      where b.account_id = $1 and b.subscriber_id = any ($15::text[]) and b.id <> all ($16::text[])
    ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      sequence as sequence,
      start as start,
      $7::text as from_status,
      from_step as from_step,
      $6::text as to_status,
      coalesce($8::integer, 0) as to_error,
      to_step as to_step,
      sum(price) as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join moved on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route, sequence, start, from_step, to_step
  ), unpaid as (
    select *, 'trf_' || stem || 'zz' as refund_id from moved
  ), 
    returned as (
      update account_ledgers set wallet_micros = wallet_micros + due.micros,
        messages_micros = messages_micros - due.micros
      from (select sum(price)::bigint as micros from unpaid) due
      where account_id = $1 and due.micros > 0
    ), refunded as (
      insert into ledger_transfers (account_id, id, reason, reference, from_ledger, to_ledger,
        amount_micros, campaign_id, created_at)
      select own.account_id, refund_id, 'message_refund', 'refund:' || id, 'messages', 'wallet', price,
        campaign_id, $2
      from (select account_id from accounts where account_id = $1) own left join unpaid on price > 0 where coalesce(id, '') <> ''
    )
  select (select string_agg(id, ' ') from moved) as moved,
    (select string_agg(id, ' ') from moved where unknown_link is not null) as unnamed,
    (select count(*)::int from fanned_out) as deliveries, (
  select string_agg('dlv' || substr(f.event_id, 4, 14) || right(lpad(to_hex(hashtextextended(f.event_id || f.subscriber_id, 0)), 16, '0'), 13) || ' ' || f.subscriber_id || ' ' || f.event_id
    || ' ' || f.message_id || ' ' || f.sequence || case when f.sequence > 1 and ((f.subscriber_id, substr(f.message_id, 15, 14)) in (select subscriber_id, rest from in_flight)
      or exists (
        select 1 from event_deliveries p
        where p.account_id = $1 and p.subscriber_id = f.subscriber_id and p.message_id = f.message_id
          and p.sequence < f.sequence and p.state = 'pending')) then ' behind' else '' end, ',')
  from fanned f where f.is_direct) as leased;

-- move what was delivered
with before as materialized (
    select m.id, case when m.direction = 'OUTBOUND' and m.status = 'DELIVERED' and m.updated_at > m.sent_at
    then round(ln(date_part('epoch', m.updated_at - m.sent_at)) * 20)::smallint
    else (-32768)::smallint end as step from messages m
    where m.account_id = $1 and m.id = any ($3::text::text[]) and m.id >= concat($4::text) and m.id <= concat($5::text) and m.status = $7::text and (not m.is_refunded or m.status <> 'SENT')
    order by m.id for update
  ), moved as (
    update messages m
    set  status = $6::text, error_code = $8::integer,
      error_message = $9::text, updated_at = $2,
      sent_at = case when $6::text in ('SENT', 'DELIVERED', 'READ')
        then coalesce(m.sent_at, $2) else m.sent_at end,
      due_at = $10::timestamptz, settle_at = null, unproven_at = $11::timestamptz, sequence = m.sequence + 1,
      timeline = case when cardinality(m.timeline) < 70
        then m.timeline || ($12::text || coalesce($13::jsonb ->> m.id, '')) else m.timeline end
    from before
    where m.account_id = $1 and m.id = before.id and m.status = $7::text and (not m.is_refunded or m.status <> 'SENT')
    returning m.id as id,
      m.campaign_id as campaign_id,
      m.number as number,
      m.sequence as sequence,
      m.price_micros as price,
      m.unknown_link as unknown_link,
      $14::text || substr(m.id, 15, 14) as stem,
      m.metadata as metadata,
      m.route as route,
      date_bin('1 hour', m.created_at, timestamptz 'epoch') as start,
      case when m.direction = 'OUTBOUND' and m.status = 'DELIVERED' and m.updated_at > m.sent_at
    then round(ln(date_part('epoch', m.updated_at - m.sent_at)) * 20)::smallint
    else (-32768)::smallint end as to_step,
      before.step as from_step
  ), happened as (
    select 'evt_' || stem || lpad(sequence::text, 2, '0') as id,
      'message.status' as event_type,
      campaign_id as campaign_id,
      number as number,
      id as message_id,
      sequence as sequence,
      $6::text as status,
      $7::text as previous_status,
      $8::integer as error_code,
      $9::text as error_message,
      null::jsonb as data,
      metadata as metadata from moved
  ), 
    appended as (
      insert into events (account_id, id, event_type, campaign_id, number, message_id, sequence, status, previous_status, error_code, error_message, data, created_at)
      select own.account_id, id, event_type, campaign_id, number, message_id, sequence, status, previous_status, error_code, error_message, data, $2 from (select account_id from accounts where account_id = $1) own left join happened on true where coalesce(id, '') <> ''
    ), fanned as (
      select s.subscriber_id, s.is_enabled, e.id as event_id, e.event_type, e.message_id, e.sequence,
        s.is_enabled and s.subscriber_id = any ($15::text[]) as is_direct
      from event_subscriptions s left join happened e on e.event_type = any (s.event_types)
        and s.campaign_id = any (array[e.campaign_id, left(e.campaign_id, 0)])
        and (s.numbers is null or e.number = any (s.numbers))
        and (s.receipts_of is null or s.receipts_of = case when e.metadata ?| '{smppReceipt,smppParts}' then e.metadata ->> 'smpp'
        when e.metadata ? 'twilioStatusCallback' then 'twilio' end)
      where s.account_id = $1 and s.campaign_id = any (array(select campaign_id from happened) || ''::text) and coalesce(e.id, '') <> ''
    ), fanned_out as (
      insert into event_deliveries (account_id, id, subscriber_id, event_id, event_type, message_id,
        sequence, state, due_at, created_at)
      select own.account_id, 'dlv' || substr(event_id, 4, 14) || right(lpad(to_hex(hashtextextended(event_id || subscriber_id, 0)), 16, '0'), 13), subscriber_id, event_id, event_type, message_id, sequence,
        case when is_enabled then 'pending' else 'held' end,
        case when is_enabled then $2::timestamptz end, $2
      from (select account_id from accounts where account_id = $1) own left join fanned on not is_direct where coalesce(event_id, '') <> ''
      returning 1
    ), batched as (
      insert into delivery_batches (account_id, id, subscriber_id, event_ids, lease_until, created_at)
      select own.account_id, ($16::text[])[array_position($15::text[], subscriber_id)], subscriber_id,
        array_agg(event_id), $17::timestamptz, $2
      from (select account_id from accounts where account_id = $1) own left join fanned on is_direct where coalesce(event_id, '') <> ''
      group by own.account_id, subscriber_id
    ), in_flight as (
      select b.subscriber_id, substr(one.event_id, 15, 14) as rest
      from delivery_batches b cross join unnest(b.event_ids) as one (event_id)
      where b.account_id = $1 and b.subscriber_id = any ($15::text[]) and b.id <> all ($16::text[])
    ), counted as (
    insert into usage_changes (account_id, message_id, campaign_id, route, carrier, count, sequence, start, from_status, from_step, to_status, to_error, to_step, refunded_micros)
    select own.account_id as account_id,
      min(id) as message_id,
      campaign_id as campaign_id,
      route as route,
      case route when 'att-sms' then 'att' when 'att-mms' then 'att' when 'tmo' then 'tmo' when 'open' then 'other' end as carrier,
      count(*) as count,
      sequence as sequence,
      start as start,
      $7::text as from_status,
      from_step as from_step,
      $6::text as to_status,
      coalesce($8::integer, 0) as to_error,
      to_step as to_step,
      0 as refunded_micros
    from (select account_id from accounts where account_id = $1) own left join moved on true where coalesce(id, '') <> ''
    group by own.account_id, campaign_id, route, sequence, start, from_step, to_step
  )
  select (select string_agg(id, ' ') from moved) as moved,
    (select string_agg(id, ' ') from moved where unknown_link is not null) as unnamed,
    (select count(*)::int from fanned_out) as deliveries, (
  select string_agg('dlv' || substr(f.event_id, 4, 14) || right(lpad(to_hex(hashtextextended(f.event_id || f.subscriber_id, 0)), 16, '0'), 13) || ' ' || f.subscriber_id || ' ' || f.event_id
    || ' ' || f.message_id || ' ' || f.sequence || case when f.sequence > 1 and ((f.subscriber_id, substr(f.message_id, 15, 14)) in (select subscriber_id, rest from in_flight)
      or exists (
        select 1 from event_deliveries p
        where p.account_id = $1 and p.subscriber_id = f.subscriber_id and p.message_id = f.message_id
          and p.sequence < f.sequence and p.state = 'pending')) then ' behind' else '' end, ',')
  from fanned f where f.is_direct) as leased;
