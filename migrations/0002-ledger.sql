-- Money, double entry, in micros of a dollar. A transfer moves one positive amount from one ledger of
-- an account to another and is never changed. A customer's wallet cannot go below zero.

create table ledger_balances (
  account_id text collate "C" not null,
  ledger text not null check (ledger in ('wallet', 'funding', 'fees', 'numbers', 'messages')),
  balance_micros bigint not null default 0,
  primary key (account_id, ledger),
  constraint wallet_covered check (ledger <> 'wallet' or balance_micros >= 0)
);

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
  primary key (account_id, id),
  check (from_ledger <> to_ledger)
);
-- The id of a message's charge is made from the message's id, so its key already makes it unique.
create unique index ledger_transfers_reference on ledger_transfers (account_id, reference)
  where reason <> 'message';
-- What is not about messages, in order of time: few rows, and none of them on the way of a send.
create index ledger_transfers_rare on ledger_transfers (account_id, id)
  where reason not in ('message', 'message_refund');

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
