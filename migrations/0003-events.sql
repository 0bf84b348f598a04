-- What happened, who wants to know, and what is still to be told. An event row and its deliveries are
-- written in the transaction that makes the change.

create table events (
  account_id text collate "C" not null,
  id text collate "C" not null,
  event_type text not null,
  campaign_id text collate "C",
  number text,
  message_id text collate "C",
  sequence smallint,
  status text,
  previous_status text,
  error_code integer,
  error_message text,
  data jsonb,
  created_at timestamptz not null,
  primary key (account_id, id)
);

create table event_subscriptions (
  account_id text collate "C" not null,
  subscriber_id text collate "C" not null,
  campaign_id text collate "C" not null,
  event_types text[] not null,
  numbers text[], -- null: every number of the campaign, also those bought later
  is_enabled boolean not null default true,
  primary key (account_id, subscriber_id)
);
create index event_subscriptions_campaign on event_subscriptions (account_id, campaign_id);

create table event_deliveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  subscriber_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  message_id text collate "C",
  sequence smallint,
  state text not null check (state in ('pending', 'held', 'delivered', 'failed')),
  attempts integer not null default 0,
  attempts_before integer not null default 0, -- of earlier rounds: a replay starts a new one
  due_at timestamptz, -- when to try, or when a claim's lease ends
  is_leased boolean not null default false,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (account_id, id),
  check ((state = 'pending') = (due_at is not null))
);
-- Who has something due, over all accounts; then what is due of one subscriber. Leases stay out of
-- the first, which keeps it small and keeps the planner from using it for the second.
create index event_deliveries_due on event_deliveries (due_at)
  where due_at is not null and not is_leased;
create index event_deliveries_queue on event_deliveries (account_id, subscriber_id, due_at)
  where due_at is not null;
create index event_deliveries_subscriber on event_deliveries (account_id, subscriber_id, id desc);
-- Keeps the events of one message in order: an earlier pending delivery blocks the later ones.
create index event_deliveries_open on event_deliveries (account_id, subscriber_id, message_id, sequence)
  where state = 'pending' and sequence is not null;
-- What a recovery sends again, and what people look for.
create index event_deliveries_undelivered on event_deliveries (account_id, subscriber_id, id desc)
  where state in ('held', 'failed');
