-- Who is calling. Ids are text in byte order: a prefix and a time-ordered number.
-- account_id comes first in every key of tenant data, so that tables can be distributed by it.

-- A deleted account keeps its row and its ledger, and nothing else.
create table accounts (
  account_id text collate "C" primary key,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED', 'DELETED')),
  low_balance_micros bigint,
  created_at timestamptz not null
);
create index accounts_threshold on accounts (account_id) where low_balance_micros is not null;

-- Found by hash before the account is known: a lookup table, not tenant data.
create table access_tokens (
  token_hash bytea primary key,
  account_id text collate "C" not null references accounts,
  id text collate "C" not null,
  name text,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index access_tokens_account on access_tokens (account_id, id desc);

-- A key is written in the transaction of what it guards, with the answer to replay.
create table idempotency_keys (
  account_id text collate "C" not null,
  key text collate "C" not null,
  request_hash bytea not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (account_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);
