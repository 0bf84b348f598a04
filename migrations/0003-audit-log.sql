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
