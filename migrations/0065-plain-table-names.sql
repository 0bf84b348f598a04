-- Plain names for tables on the coordinator, and `phone_number` for our phone numbers (docs/decisions/0107). Each old name
-- becomes a view that PostgreSQL can write through, so processes of the previous version keep working.

alter table lost_links rename to link_outages;
alter table link_outages rename constraint lost_links_pkey to link_outages_pkey;
create view lost_links as
select dispatcher, carrier, down_since, seen_at from link_outages;

alter table stray_receipts rename to unmatched_receipts;
alter table unmatched_receipts rename column look_at to check_at;
alter table unmatched_receipts rename column number to phone_number;
alter table unmatched_receipts rename constraint stray_receipts_pkey to unmatched_receipts_pkey;
alter index stray_receipts_age rename to unmatched_receipts_age;
alter index stray_receipts_look rename to unmatched_receipts_check;
alter index stray_receipts_numbers rename to unmatched_receipts_numbers;
create view stray_receipts as
select id, carrier, message_id, status, error_code, received_at, carrier_ids, carrier_code, check_at as look_at,
  phone_number as number, peer, submitted_at, done_at, body_start, reference, is_unconfirmed, is_opted_out
from unmatched_receipts;

alter table learned_networks rename to number_lookup_cache;
alter table number_lookup_cache rename column number to phone_number;
alter table number_lookup_cache rename constraint learned_networks_pkey to number_lookup_cache_pkey;
alter index learned_networks_age rename to number_lookup_cache_age;
create view learned_networks as
select phone_number as number, network, link, seen_at, is_landline from number_lookup_cache;

alter table inventory_numbers rename to number_inventory;
alter table number_inventory rename column number to phone_number;
alter table number_inventory rename constraint inventory_numbers_pkey to number_inventory_pkey;
alter index inventory_numbers_area rename to number_inventory_area;
alter index inventory_numbers_price rename to number_inventory_price;
create view inventory_numbers as
select phone_number as number, area_code, location, monthly_price_micros, hosts from number_inventory;

alter table inbound_parts rename to inbound_message_parts;
alter table inbound_message_parts rename column number to phone_number;
alter table inbound_message_parts rename constraint inbound_parts_pkey to inbound_message_parts_pkey;
alter index inbound_parts_age rename to inbound_message_parts_age;
create view inbound_parts as
select phone_number as number, peer, reference, sequence, total, body, is_done, received_at from inbound_message_parts;

alter table media_key rename to media_secret;
alter table media_secret rename column octets to bytes;
alter table media_secret rename constraint media_key_pkey to media_secret_pkey;
alter table media_secret rename constraint media_key_only_row_check to media_secret_only_row_check;
create view media_key as select only_row, bytes as octets from media_secret;

alter table voice_key rename to voice_secret;
alter table voice_secret rename column octets to bytes;
alter table voice_secret rename constraint voice_key_pkey to voice_secret_pkey;
alter table voice_secret rename constraint voice_key_only_row_check to voice_secret_only_row_check;
create view voice_key as select only_row, bytes as octets from voice_secret;
