-- What became of messages, summed by hour and by day, so that a read of a quarter costs its days and not its messages.
-- Whole hours are summed some time after they are over; what is newer is read from the messages themselves.

-- How far the messages of an account are summed: all that were created before, and none after.
create table usage_progress (
  account_id text collate "C" primary key,
  begun_at timestamptz not null, -- nothing is summed within a day of it: a process that writes no changes may still run
  summed_until timestamptz not null -- the beginning of an hour
);

-- What was sent and what it cost, of messages that were created in the hour or day.
create table usage_sums (
  account_id text collate "C" not null,
  unit text not null check (unit in ('hour', 'day')),
  start timestamptz not null,
  campaign_id text collate "C" not null,
  messages bigint not null,
  segments bigint not null,
  cost_micros bigint not null, -- without what was refunded since
  primary key (account_id, unit, start, campaign_id)
);

-- How many messages of the hour or day are as they are now.
create table usage_counts (
  account_id text collate "C" not null,
  unit text not null check (unit in ('hour', 'day')),
  start timestamptz not null,
  campaign_id text collate "C" not null,
  carrier text not null,
  direction text not null,
  status text not null,
  error_code integer not null, -- 0: none
  step smallint not null, -- how long the carrier took, as a step of its logarithm; -32768: not known
  count bigint not null,
  primary key (account_id, unit, start, campaign_id, carrier, direction, status, error_code, step)
);

-- Moves of messages that are old enough to be summed already, until they are added to the sums. Alike ones of one
-- statement are one row, under the first of their messages.
create table usage_changes (
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  sequence smallint not null,
  start timestamptz not null, -- the hour in which the messages were created
  campaign_id text collate "C" not null,
  carrier text not null,
  from_status text not null,
  from_step smallint not null,
  to_status text not null,
  to_error integer not null,
  to_step smallint not null,
  count bigint not null,
  refunded_micros bigint not null,
  primary key (account_id, message_id, sequence)
);
