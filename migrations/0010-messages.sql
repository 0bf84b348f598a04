-- Messages. The row is the queue: due_at says when to try next, or when the lease of the dispatcher
-- that holds it ends. status stays out of every index, so that most moves update a row in place.

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
  -- How long it is worth sending, from when it was due. It stands in the row only where that is not just
  -- the default, or where the message has been tried: most rows need no entry in the index below.
  expires_at timestamptz,
  media_checked boolean not null default false,
  scheduled_at timestamptz,
  sent_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz,
  validity_seconds smallint, -- null: four hours; see docs/decisions/0052
  counted_day text, -- the Pacific day on which it last counted toward T-Mobile's cap: a retry of that day does not
  -- Whether the price was refunded. The same code costs something or nothing, by who stopped the message.
  is_refunded boolean not null default false,
  automatic text, -- STOP, START or HELP on a reply (is_reply) to such a keyword; null on all others
  primary key (account_id, id)
) with (fillfactor = 50);
-- Half a page, for a second version of every row of a batch, all of which are sent at once: the first of
-- them make way only when that is committed.

-- A campaign belongs to one account, so its id alone is enough: short keys are the larger part of what
-- accepting a message costs. See docs/decisions/0044.
-- Newest last: a list reads these backwards at the same price, while a new message goes to the end of
-- its campaign's range, where a page is filled, not split in the middle.
create index messages_campaign on messages (campaign_id, id);
create index messages_peer on messages (campaign_id, peer, id);
-- Of one of our own numbers, which may have been silent for a million messages of the others.
create index messages_number on messages (campaign_id, number, id);
create index messages_due on messages (campaign_id, route, due_at) where due_at is not null;
create index messages_due_replies on messages (campaign_id, route, due_at)
  where due_at is not null and is_reply;
create index messages_expiring on messages (campaign_id, route, expires_at)
  where due_at is not null and expires_at is not null;

-- A lane is one campaign's way to one class of carrier: its exact use of the limit, and when it is
-- next due. Claiming locks this one row, so limits hold across any number of dispatchers.
create table lanes (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  route text not null,
  window_slots jsonb not null default '{}', -- second (or Pacific day) to segments used in it
  held_from timestamptz, -- since when the limit keeps messages waiting; null while it does not
  next_due_at timestamptz,
  -- While a campaign holds its messages at the daily cap, their time stands still: from and until, in
  -- milliseconds, for as long as something waits that waited then.
  holds jsonb not null default '[]',
  primary key (account_id, campaign_id, route)
);
create index lanes_due on lanes (next_due_at) where next_due_at is not null;

-- A batch of accepted messages that the accepting process sends at once, in memory. Until it is done the
-- row is its lease: when that runs out, whoever finds it puts the messages that are left into the queue.
-- One row per batch, not a due_at per message, so that sending a message updates its row in place.
create table handoffs (
  account_id text collate "C" not null,
  first_id text collate "C" not null,
  last_id text collate "C" not null, -- the ids of one batch are of one millisecond
  lease_until timestamptz not null,
  primary key (account_id, first_id)
);
create index handoffs_lease on handoffs (lease_until);

-- Dispatchers that have lost the carrier, while they have: only they know, and everybody is asked.
create table lost_links (
  dispatcher text collate "C" primary key,
  carrier text not null,
  down_since timestamptz not null,
  seen_at timestamptz not null -- a row that nobody renews is that of a process that has ended
);

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
