-- Calls that are forwarded. The nodes that answer them hold all numbers in memory and follow what changes.

-- What happened last to each number: bought, forwarded, or released. Written in the transaction that does it, with
-- its id: whoever has seen all transactions below one reads those from there on, and misses none that commits late.
-- Found before an account is known, so no tenant data.
create table forwarding_changes (
  phone_number text collate "C" primary key,
  is_held boolean not null, -- false: released
  forward_number text,
  changed_in xid8 not null
);
create index forwarding_changes_order on forwarding_changes (changed_in);

-- How many targets an account has set in the hour that began then.
create table forwarding_limits (
  account_id text collate "C" primary key,
  began_at timestamptz not null,
  changes integer not null
);

-- The calls of a number on a day (UTC), of the account that held it then.
create table number_calls (
  account_id text collate "C" not null,
  phone_number text collate "C" not null,
  day date not null,
  redirected integer not null,
  refused integer not null,
  last_call_at timestamptz not null,
  primary key (account_id, phone_number, day)
);
create index number_calls_age on number_calls (day);

-- What the tags of answers are made with, so that every node gives the same answer to the same call. One row.
create table voice_key (
  only_row boolean primary key default true check (only_row),
  octets bytea not null
);
