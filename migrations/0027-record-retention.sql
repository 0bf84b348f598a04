-- How long an account's messages are kept as a whole, not only their texts; everything with an id below records_done has
-- been seen to. What the service does by itself needs a message for thirty days: so long are its events kept.

alter table account_retention
  add column record_days integer, -- null: kept
  add column records_done text collate "C" not null default '';
-- By a name, and after the column: Citus takes no other.
alter table account_retention
  add constraint account_retention_record_days_check check (record_days between 30 and 3650);
