-- Alerts: problems that the service notices, the settings for them, and the emails that report them (docs/decisions/0129).

create table alerts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  kind text not null,
  subject text collate "C" not null,
  campaign_id text collate "C",
  since timestamptz not null,
  raised_at timestamptz not null,
  updated_at timestamptz not null,
  cleared_at timestamptz,
  what_happened text not null,
  what_to_do text not null,
  figures jsonb not null,
  primary key (account_id, id)
);

create unique index alerts_open on alerts (account_id, kind, subject) where cleared_at is null;

create table alert_settings (
  account_id text collate "C" not null primary key,
  muted_kinds text[] not null,
  balance_days integer,
  updated_at timestamptz not null
);

create table alert_lease (
  only_row boolean not null default true primary key,
  holder text not null,
  expires_at timestamptz not null,
  constraint alert_lease_only_row_check check (only_row)
);

create table emails (
  account_id text collate "C" not null,
  id text collate "C" not null,
  dedupe_key text collate "C" not null,
  recipient text not null,
  content jsonb not null,
  created_at timestamptz not null,
  attempts smallint not null,
  due_at timestamptz,
  finished_at timestamptz,
  problem text,
  primary key (account_id, id)
);

create unique index emails_dedupe on emails (account_id, dedupe_key);
create index emails_due on emails (due_at) where due_at is not null;

comment on table alerts is 'Problems of an account, and of the installation itself under the account "installation". At most one open alert for a kind and subject';
comment on column alerts.subject is 'What it is about: a carrier, a campaign, an error code, the origin of a webhook, a number, or a link';
comment on column alerts.figures is 'The last values. The normal rate stays as it was when the alert was raised';
comment on table alert_settings is 'Kinds that an account does not want to hear about, and how many days its balance should last';
comment on column alert_settings.balance_days is 'Null: the default';
comment on table alert_lease is 'Which process checks accounts now. Real time';
comment on table emails is 'Emails to send, and those of the last 30 days. Times are real time';
comment on column emails.dedupe_key is 'What it is about and for whom: nobody gets two emails about one thing';
comment on column emails.due_at is 'When the next attempt is due, or when a lease ends. Null: sent or given up';
