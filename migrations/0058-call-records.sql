-- A record of each call to a number that somebody holds, what was charged for it, and how many were forwarded today.

create table call_records (
  account_id text collate "C" not null, -- who held the number
  id text collate "C" not null, -- begins with the time of the call
  phone_number text collate "C" not null,
  trunk text collate "C" not null,
  call_id text collate "C" not null, -- the SIP Call-ID, shortened to 255 characters
  outcome text not null,
  caller text, -- only if the operator stores callers, and not for as long as the record
  price_micros bigint not null,
  primary key (account_id, id)
);
create index call_records_time on call_records (id);
create index call_records_number on call_records (phone_number, id);
create index call_records_trunk on call_records (trunk, id);
create index call_records_call on call_records (call_id);
create index call_records_callers on call_records (id) where caller is not null;

-- Calls forwarded for an account on the last day with any. Whoever writes records of the account locks its row first,
-- so that two nodes never record the same call twice.
create table call_accounts (
  account_id text collate "C" primary key,
  day date not null,
  forwarded integer not null
);

-- The same for trunks, by the day. No tenant data.
create table trunk_calls (
  trunk text collate "C" not null,
  day date not null,
  forwarded integer not null,
  primary key (trunk, day)
);

-- Kinds of prices are a list of the program: a forwarded call is one now.
alter table prices drop constraint prices_kind_check;
