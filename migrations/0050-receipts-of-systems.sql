-- The SMPP system id whose receipts a subscription wants: of message.status it gets only events of messages that this system id
-- submitted with registered delivery (docs/decisions/0065). Null: every message. Older subscriptions of SMPP tokens get it at
-- their next bind.
alter table event_subscriptions add column receipts_of text collate "C";
