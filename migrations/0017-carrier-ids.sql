-- What real carriers need of us: messages found by the carrier's id, receipts that wait for theirs, inbound
-- that is known when it comes again, and outcomes that nobody knows.

-- Which message a carrier means. Found before the account is known, written with the move to SENT. The slot is
-- the week modulo four: a slot is emptied by truncate two weeks before it is written again, so old rows go
-- without a scan, and what is one or two weeks old is still found.
create table carrier_messages (
  slot smallint not null,
  link text collate "C" not null,
  carrier_id text collate "C" not null,
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  part smallint not null, -- from 0
  parts smallint not null,
  sent_at timestamptz not null,
  primary key (link, carrier_id, slot)
) partition by list (slot);
create table carrier_messages_0 partition of carrier_messages for values in (0);
create table carrier_messages_1 partition of carrier_messages for values in (1);
create table carrier_messages_2 partition of carrier_messages for values in (2);
create table carrier_messages_3 partition of carrier_messages for values in (3);

-- What has come in, by the carrier's id, kept in the same way: what a carrier sends again changes nothing.
create table inbound_ids (
  slot smallint not null,
  link text collate "C" not null,
  carrier_id text collate "C" not null,
  connection text collate "C" not null, -- by which it came, where the id is a fingerprint of ours; else empty
  message_id text collate "C", -- null: a part, or to a number that nobody holds
  received_at timestamptz not null,
  primary key (link, carrier_id, connection, slot)
) partition by list (slot);
create table inbound_ids_0 partition of inbound_ids for values in (0);
create table inbound_ids_1 partition of inbound_ids for values in (1);
create table inbound_ids_2 partition of inbound_ids for values in (2);
create table inbound_ids_3 partition of inbound_ids for values in (3);

-- A receipt that names a message by the carrier's id may come before the answer that gives the id is kept:
-- it is looked for again until it has been found, or long after it could have been.
alter table stray_receipts
  add column carrier_ids text[] not null default '{}', -- every spelling of the id
  add column carrier_code text,
  add column look_at timestamptz; -- null: given up
create index stray_receipts_look on stray_receipts (look_at) where look_at is not null;
create index stray_receipts_age on stray_receipts (received_at);

alter table messages
  -- When an outcome that nobody knows is decided; until then nobody sends the message. Null otherwise.
  add column settle_at timestamptz,
  add column unknown_link text, -- by which it went out then, where that is known
  add column delivered_parts bigint; -- of a long one: a bit for each part that is delivered, as its receipt says
create index messages_settle on messages (settle_at) where settle_at is not null;

-- Batches that are being handed to a carrier. A process that dies leaves its rows behind: what is still waiting
-- of them may have gone out, or not, and is not sent again blindly.
create table submits (
  account_id text collate "C" not null,
  id text collate "C" not null,
  message_ids text[] not null,
  due_ats timestamptz[] not null, -- as in the messages' rows: one that differs by now was put back knowingly
  lease_until timestamptz not null,
  primary key (account_id, id)
);
create index submits_lease on submits (lease_until);
