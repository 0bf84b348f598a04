-- Customers who bind by SMPP. A system id stands for an access token, whose scopes, end and account it has: found
-- before the tenant is known, so a lookup table.

create table smpp_systems (
  system_id text collate "C" primary key,
  account_id text collate "C" not null,
  token_id text collate "C" not null,
  password_salt bytea not null,
  password_hash bytea not null, -- scrypt: eight characters can be guessed where a token cannot
  campaign_id text collate "C", -- what it sends for and hears of; null: every campaign of the account
  number text collate "C", -- the same of numbers
  created_at timestamptz not null
);
create index smpp_systems_account on smpp_systems (account_id, token_id);

-- Who is bound at this moment, in whichever process. A row that nobody has confirmed for a while is of a process
-- that is gone.
create table smpp_binds (
  account_id text collate "C" not null,
  id text collate "C" not null,
  token_id text collate "C" not null,
  bound_as text not null,
  peer text not null,
  bound_at timestamptz not null,
  seen_at timestamptz not null,
  primary key (account_id, id)
);
create index smpp_binds_age on smpp_binds (seen_at);

-- Parts of long messages that were submitted, until all of them have come and the whole is a message.
create table smpp_parts (
  account_id text collate "C" not null,
  token_id text collate "C" not null,
  sender text collate "C" not null, -- as the customer wrote it; may be empty
  peer text collate "C" not null,
  reference integer not null,
  sequence smallint not null,
  total smallint not null,
  set_id text collate "C" not null, -- of the parts of one message; part ids are made from it
  body text not null, -- as JSON: half of a surrogate pair is no text
  receipt smallint not null, -- registered_delivery
  bind_id text collate "C" not null, -- where it came
  message_id text collate "C", -- of the whole, once it is accepted
  received_at timestamptz not null,
  primary key (account_id, token_id, sender, peer, reference, sequence)
);
create index smpp_parts_set on smpp_parts (account_id, set_id);
create index smpp_parts_age on smpp_parts (received_at);
