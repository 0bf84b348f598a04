-- What billing needs beside the ledger: prices, who was told that money runs out, who has not paid.

-- Operator's data. The account '*' stands for everybody; an account's own price goes before it. No
-- amount: from then on as if there were no price here, which for everybody means the settings.
create table prices (
  account_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('sms', 'mms')),
  effective_at timestamptz not null,
  amount_micros bigint check (amount_micros >= 0),
  primary key (account_id, kind, effective_at)
);

-- A row while the balance is below the account's threshold, so that it is told once.
create table low_balance_alerts (
  account_id text collate "C" primary key,
  raised_at timestamptz not null
);
create index accounts_threshold on accounts (account_id) where low_balance_micros is not null;

-- Campaigns whose renewal is unpaid: a handful, looked at every few seconds.
create index campaigns_unpaid on campaigns (account_id, id) where grace_until is not null;
