-- Which message a carrier's ID means, with the account's other rows (docs/decisions/0142). On a cluster, carrier_messages is on the
-- coordinator, with a row for each message. Processes of the previous version still write it, and this one still reads it. It empties
-- itself within two weeks, and the next version drops it.

-- Without a unique key: rows are only added, and of several rows with one ID the newest counts. The slot is the week modulo four, as before.
create table carrier_ids (
  sent_at timestamptz not null,
  slot smallint not null,
  part smallint not null, -- from 0
  parts smallint not null,
  account_id text collate "C" not null,
  link text collate "C" not null,
  carrier_id text collate "C" not null,
  message_id text collate "C" not null
) partition by list (slot);
create table carrier_ids_0 partition of carrier_ids for values in (0);
create table carrier_ids_1 partition of carrier_ids for values in (1);
create table carrier_ids_2 partition of carrier_ids for values in (2);
create table carrier_ids_3 partition of carrier_ids for values in (3);
-- On PostgreSQL alone, a receipt's account is not looked up first.
create index carrier_ids_link on carrier_ids (link, carrier_id);
-- IDs in upper or lower case are found by the first index.
create index carrier_ids_folded on carrier_ids (link, lower(carrier_id))
  where carrier_id <> lower(carrier_id) and carrier_id <> upper(carrier_id);

-- Citus moves a table without a primary key between workers only if it may compare whole rows.
alter table carrier_ids_0 replica identity full;
alter table carrier_ids_1 replica identity full;
alter table carrier_ids_2 replica identity full;
alter table carrier_ids_3 replica identity full;
