-- Whoever hosts the service: the tokens of operators, and how long texts are kept. What they did is in
-- audit_log.

create table operator_tokens (
  token_hash bytea primary key,
  id text collate "C" not null,
  name text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index operator_tokens_id on operator_tokens (id desc);

-- How long an account's texts and media are kept, and how far that has been carried out: everything
-- with an id below `…_done` has been seen to.
create table account_retention (
  account_id text collate "C" primary key,
  message_days integer check (message_days > 0), -- null: kept
  media_days integer check (media_days > 0),
  messages_done text collate "C" not null default '',
  media_done text collate "C" not null default '',
  deleting_since timestamptz -- the account is deleted, and what is left of it is being removed
);
