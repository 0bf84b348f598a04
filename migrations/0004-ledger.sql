-- Money, double entry, in micros of a dollar. A transfer moves one positive amount from one ledger of
-- an account to another and is never changed. A customer's wallet cannot go below zero.

-- The five ledgers of an account in one row: a charge is one update, not two, and one lock.
-- See docs/decisions/0044.
create table account_ledgers (
  account_id text collate "C" primary key,
  wallet_micros bigint not null default 0,
  funding_micros bigint not null default 0,
  fees_micros bigint not null default 0,
  numbers_micros bigint not null default 0,
  messages_micros bigint not null default 0,
  constraint wallet_covered check (wallet_micros >= 0)
) with (fillfactor = 50); -- busy rows: room for their next versions on the same page

create view ledger_balances as
select a.account_id, l.ledger, l.balance_micros
from account_ledgers a cross join lateral (values
  ('wallet', a.wallet_micros), ('funding', a.funding_micros), ('fees', a.fees_micros),
  ('numbers', a.numbers_micros), ('messages', a.messages_micros)) as l (ledger, balance_micros);

-- Which ledgers a transfer is between follows from its reason: a constant of the program.
-- A charge for messages that were accepted together is one transfer of their sum, not one for each of
-- them. See docs/decisions/0046. What each message cost is in it all the same, and ledger_entries shows it.
create table ledger_transfers (
  account_id text collate "C" not null,
  id text collate "C" not null,
  reason text not null,
  reference text collate "C" not null,
  from_ledger text not null,
  to_ledger text not null,
  amount_micros bigint not null check (amount_micros > 0),
  campaign_id text collate "C",
  created_at timestamptz not null,
  entries integer not null default 1, -- how many it stands for
  message_ids text[] collate "C",     -- only where there are several, all of one millisecond
  message_micros bigint[],
  primary key (account_id, id)
);
-- Ids are as good as random: trying to compress them costs more than it saves. (Not within the table
-- above, where PostgreSQL takes it from version 16 on.)
alter table ledger_transfers alter column message_ids set storage external;
alter table ledger_transfers alter column message_micros set storage external;
-- The id of a message's charge is made from the message's id, so its key already makes it unique.
create unique index ledger_transfers_reference on ledger_transfers (account_id, reference)
  where reason <> 'message';
-- What is not about messages, in order of time: few rows, and none of them on the way of a send.
create index ledger_transfers_rare on ledger_transfers (account_id, id)
  where reason not in ('message', 'message_refund');

create view ledger_entries as
select t.account_id, coalesce('trf' || substr(m.id, 4), t.id) as id, t.id as transfer_id, t.reason,
  coalesce(m.id, t.reference) as reference, t.from_ledger, t.to_ledger,
  coalesce(m.micros, t.amount_micros) as amount_micros, t.campaign_id, t.created_at
from ledger_transfers t
left join lateral unnest(t.message_ids, t.message_micros) as m (id, micros) on true;

-- Why an operator moved money. Apart from the transfers, so that a message's charge stays narrow.
create table ledger_notes (
  account_id text collate "C" not null,
  transfer_id text collate "C" not null,
  note text not null,
  primary key (account_id, transfer_id)
);

-- What all transfers with an id below floor_id come to, written once a day for accounts with traffic.
-- A running balance starts from the nearest one instead of from the beginning of time.
create table ledger_closings (
  account_id text collate "C" not null,
  floor_id text collate "C" not null,
  wallet_micros bigint not null,
  spent_micros bigint not null,
  primary key (account_id, floor_id)
);

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
