-- Who must not be written to.

create table optouts (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient text collate "C" not null,
  number text,
  keyword text,
  message_id text collate "C",
  reason text,
  opted_out_at timestamptz not null,
  primary key (account_id, campaign_id, recipient)
);

-- Every change of the list above, for audit. Never changed.
create table optout_changes (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient text collate "C" not null,
  change text not null check (change in ('opted_out', 'opted_in')),
  source text not null, -- keyword, api, operator
  reason text,
  token_id text collate "C",
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index optout_changes_recipient on optout_changes (account_id, campaign_id, recipient, id desc);
