-- What happened, who wants to know, and what is still to be delivered. An event row and its deliveries are
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
  brand_id text collate "C", -- of the campaign, where changes of the brand are asked for; else null
  primary key (account_id, subscriber_id)
);
create index event_subscriptions_campaign on event_subscriptions (account_id, campaign_id);
create index event_subscriptions_brand on event_subscriptions (account_id, brand_id)
  where brand_id is not null;

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
  due_at timestamptz, -- when to try
  created_at timestamptz not null,
  finished_at timestamptz,
  -- In a column that no index holds: claiming a delivery updates its row in place, where a change of
  -- due_at would make new entries in four indexes. See docs/decisions/0036.
  lease_until timestamptz,
  primary key (account_id, id),
  check ((state = 'pending') = (due_at is not null))
) with (fillfactor = 50); -- room on its page for the leased version of every row
-- Who has something due, over all accounts; then what is due of one subscriber. The first is of an
-- expression, so that the planner does not take it for the second.
create index event_deliveries_due on event_deliveries ((due_at at time zone 'UTC'))
  where due_at is not null;
create index event_deliveries_queue on event_deliveries (account_id, subscriber_id, due_at)
  where due_at is not null;
-- Newest last: read backwards at the same price, and written at the end.
create index event_deliveries_subscriber on event_deliveries (account_id, subscriber_id, id);
-- Keeps the events of one message in order: an earlier pending delivery blocks the later ones.
create index event_deliveries_open on event_deliveries (account_id, subscriber_id, message_id, sequence)
  where state = 'pending' and sequence is not null;
-- What a recovery sends again, and what people look for.
create index event_deliveries_undelivered on event_deliveries (account_id, subscriber_id, id)
  where state in ('held', 'failed');
