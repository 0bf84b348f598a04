-- Messages. The row is the queue: due_at says when to try next, or when the lease of the dispatcher
-- that holds it ends. status stays out of every index, so that most moves update a row in place.

create table optouts (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient text collate "C" not null,
  number text,
  keyword text,
  message_id text collate "C",
  reason text,
  opted_out_at timestamptz not null,
  primary key (account_id, campaign_id, recipient)
);

-- Every change of the list above, for audit. Never changed.
create table optout_changes (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient text collate "C" not null,
  change text not null check (change in ('opted_out', 'opted_in')),
  source text not null, -- keyword, api, operator
  reason text,
  token_id text collate "C",
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index optout_changes_recipient on optout_changes (account_id, campaign_id, recipient, id desc);

create table messages (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  type text not null,
  direction text not null,
  number text collate "C" not null, -- ours
  peer text collate "C" not null,   -- the other party's
  route text not null,              -- the lane: att-sms, att-mms, tmo, open
  body text not null,
  media_urls jsonb not null default '[]',
  metadata jsonb not null default '{}',
  num_segments smallint not null,
  is_reply boolean not null default false, -- to a keyword: free, and sent also to the opted-out
  price_micros bigint not null,
  status text not null,
  error_code integer,
  error_message text,
  sequence smallint not null default 0, -- of the last event
  attempts smallint not null default 0,
  timeline text[] not null default '{}', -- see timeline.ts
  due_at timestamptz,
  expires_at timestamptz, -- set by the first try that was put off
  media_checked boolean not null default false,
  scheduled_at timestamptz,
  sent_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (account_id, id)
) with (fillfactor = 70);
-- A campaign belongs to one account, so its id alone is enough: short keys are the larger part of what
-- accepting a message costs.
create index messages_campaign on messages (campaign_id, id desc);
create index messages_peer on messages (campaign_id, peer, id desc);
create index messages_due on messages (campaign_id, route, due_at) where due_at is not null;
create index messages_due_replies on messages (campaign_id, route, due_at)
  where due_at is not null and is_reply;

-- A lane is one campaign's way to one class of carrier: its exact use of the limit, and when it is
-- next due. Claiming locks this one row, so limits hold across any number of dispatchers.
create table lanes (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  route text not null,
  window_slots jsonb not null default '{}', -- second (or Pacific day) to segments used in it
  held_from timestamptz, -- since when the limit keeps messages waiting; null while it does not
  next_due_at timestamptz,
  primary key (account_id, campaign_id, route)
);
create index lanes_due on lanes (next_due_at) where next_due_at is not null;

-- Receipts that no message answers to: kept, so that somebody can see them.
create table stray_receipts (
  id text collate "C" primary key,
  carrier text not null,
  message_id text collate "C" not null,
  status text not null,
  error_code integer,
  received_at timestamptz not null
);

-- Parts of long inbound messages, until a minute has passed. Those of a message that is whole stay as
-- long, so that a part that comes twice is known.
create table inbound_parts (
  number text collate "C" not null,
  peer text collate "C" not null,
  reference integer not null,
  sequence smallint not null,
  total smallint not null,
  body text not null, -- as a JSON string: a part may end within a character
  is_done boolean not null default false,
  received_at timestamptz not null,
  primary key (number, peer, reference, sequence)
);
create index inbound_parts_age on inbound_parts (received_at);

-- Media that came in, served by links that cannot be guessed: found by id before the account is known.
create table media (
  id text collate "C" primary key,
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  content_type text not null,
  content bytea not null,
  created_at timestamptz not null
);
create index media_message on media (account_id, message_id);
