-- What messages cost and what was refunded, by day and campaign, of days that are closed: the statement of a month reads
-- these, and only the days since from the transfers. Entries are never changed, so neither are these.
create table ledger_days (
  account_id text collate "C" not null,
  day date not null,
  reason text not null,
  campaign_id text collate "C" not null, -- '': none
  entries bigint not null,
  amount_micros bigint not null, -- what it did to the wallet
  primary key (account_id, day, reason, campaign_id)
);

-- Refunds, newest first, among all that was charged.
create index ledger_transfers_refunds on ledger_transfers (account_id, id) where reason = 'message_refund';
