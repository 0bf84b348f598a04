-- Deliveries that arrived at their first attempt, which are nearly all: taken out of event_deliveries as they arrive, which so stays
-- a queue, and written once. See docs/decisions/0071. Of these state, attempts and the like say nothing; what is replayed goes back.
create table event_arrivals (
  created_at timestamptz not null,
  finished_at timestamptz not null,
  attempted_at timestamptz not null,
  duration_ms integer not null,
  response_status smallint,
  sequence smallint,
  account_id text collate "C" not null,
  id text collate "C" not null,
  subscriber_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  message_id text collate "C",
  response_body text,
  request text, -- what of it cannot be worked out (webhooks/arrivals.ts); null once redacted
  primary key (account_id, id)
) partition by range (id);
create table event_arrivals_first partition of event_arrivals for values from (minvalue) to (maxvalue);
-- As of event_deliveries: newest first, by the millisecond that their ids begin with.
create index event_arrivals_moment on event_arrivals (subscriber_id, left(id, 14));

-- A queue whose rows go soon: what they leave is given to the next ones early.
do $$
declare
  partition regclass;
begin
  for partition in select inhrelid::regclass from pg_inherits where inhparent = 'event_deliveries'::regclass loop
    execute format('alter table %s set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)', partition);
  end loop;
end $$;
