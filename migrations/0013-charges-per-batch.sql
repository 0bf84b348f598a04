-- A charge for messages that were accepted together is one transfer of their sum, not one for each of
-- them. See docs/decisions/0046. What each message cost is in it all the same, and ledger_entries shows it.
alter table ledger_transfers
  add column entries integer not null default 1, -- how many it stands for
  add column message_ids text[] collate "C",     -- only where there are several, all of one millisecond
  add column message_micros bigint[];
-- Ids are as good as random: trying to compress them costs more than it saves.
alter table ledger_transfers alter column message_ids set storage external;
alter table ledger_transfers alter column message_micros set storage external;

create view ledger_entries as
select t.account_id, coalesce('trf' || substr(m.id, 4), t.id) as id, t.id as transfer_id, t.reason,
  coalesce(m.id, t.reference) as reference, t.from_ledger, t.to_ledger,
  coalesce(m.micros, t.amount_micros) as amount_micros, t.campaign_id, t.created_at
from ledger_transfers t
left join lateral unnest(t.message_ids, t.message_micros) as m (id, micros) on true;
