-- Whoever hosts the service: the tokens of operators, what was done by whom, and how long texts are kept.

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

-- Every act of an operator and every act on a token. Not tenant data: an act may concern one account,
-- several or none, and its row outlives the account.
create table audit_log (
  id text collate "C" primary key,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('operator', 'customer', 'command')),
  actor_id text collate "C",   -- the token; null on the command line
  actor_name text not null,
  origin text not null,        -- an IP address, or the machine of the command line
  request_id text collate "C",
  act text collate "C" not null,
  account_id text collate "C",
  subject text collate "C",    -- the record that was acted on
  before jsonb,
  after jsonb
);
create index audit_log_account on audit_log (account_id, id desc);
create index audit_log_subject on audit_log (subject, id desc);
create index audit_log_act on audit_log (act, id desc);

-- Append-only, for everybody who comes through this database (decision 0040). The rule against
-- triggers is about tables that are distributed; this one is not.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end $$;
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();

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

-- Operators name a record by its id alone.
create index brands_id on brands (id);
create index campaigns_id on campaigns (id);
create index webhooks_id on webhooks (id);

-- A deleted account keeps its row and its ledger, and nothing else.
alter table accounts drop constraint accounts_status_check;
alter table accounts add constraint accounts_status_check
  check (status in ('ACTIVE', 'SUSPENDED', 'DELETED'));
