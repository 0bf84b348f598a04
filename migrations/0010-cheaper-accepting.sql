-- What every accepted batch pays for, made cheaper. See docs/decisions/0044.

-- Newest last: a list reads these backwards at the same price, while a new message goes to the end of
-- its campaign's range, where a page is filled, not split in the middle.
drop index messages_campaign;
create index messages_campaign on messages (campaign_id, id);
drop index messages_peer;
create index messages_peer on messages (campaign_id, peer, id);
-- Of one of our own numbers, which may have been silent for a million messages of the others.
create index messages_number on messages (campaign_id, number, id);

-- The five ledgers of an account in one row: a charge is one update, not two, and one lock.
create table account_ledgers (
  account_id text collate "C" primary key,
  wallet_micros bigint not null default 0,
  funding_micros bigint not null default 0,
  fees_micros bigint not null default 0,
  numbers_micros bigint not null default 0,
  messages_micros bigint not null default 0,
  constraint wallet_covered check (wallet_micros >= 0)
) with (fillfactor = 50); -- busy rows: room for their next versions on the same page
insert into account_ledgers
select account_id, sum(balance_micros) filter (where ledger = 'wallet'),
  sum(balance_micros) filter (where ledger = 'funding'),
  sum(balance_micros) filter (where ledger = 'fees'),
  sum(balance_micros) filter (where ledger = 'numbers'),
  sum(balance_micros) filter (where ledger = 'messages')
from ledger_balances group by account_id;
drop table ledger_balances;
create view ledger_balances as
select a.account_id, l.ledger, l.balance_micros
from account_ledgers a cross join lateral (values
  ('wallet', a.wallet_micros), ('funding', a.funding_micros), ('fees', a.fees_micros),
  ('numbers', a.numbers_micros), ('messages', a.messages_micros)) as l (ledger, balance_micros);

-- Which ledgers a transfer is between follows from its reason: a constant of the program.
alter table ledger_transfers drop constraint ledger_transfers_check;
