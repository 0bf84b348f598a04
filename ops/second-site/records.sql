-- What was written since a time, one line for each record, to compare two databases with `comm` (docs/second-site.md):
-- psql -At -v since='2026-11-19 01:00:00+00' -f records.sql
-- IDs begin with their time, in base 32, so older rows are not read.
with since as (
  select timestamptz :'since' as moment, string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> (5 * (9 - place))) % 32)::int + 1, 1), '' order by place) as prefix
  from (select (extract(epoch from timestamptz :'since') * 1000)::bigint as ms) time, generate_series(0, 9) place
), lines as (
  select 'message ' || id || ' ' || account_id || ' ' || direction as line
  from messages where id >= (select 'msg_' || prefix from since)
  union all
  select 'optout ' || id || ' ' || campaign_id || ' ' || recipient || ' ' || change
  from optout_changes where created_at >= (select moment from since)
  union all
  select 'transfer ' || id || ' ' || account_id || ' ' || reason || ' ' || reference || ' ' || amount_micros
  from ledger_transfers where created_at >= (select moment from since)
  union all
  select 'number ' || phone_number || ' ' || account_id from numbers
  union all
  select 'token ' || id || ' ' || account_id || coalesce(' revoked ' || revoked_at, '') from access_tokens
  union all
  select 'action ' || id || ' ' || act || ' ' || coalesce(account_id, '-') || ' ' || coalesce(subject, '-')
  from audit_log where at >= (select moment from since)
)
select line from lines order by line collate "C";
