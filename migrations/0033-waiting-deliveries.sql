-- Until when a delivery stands back behind an earlier event of its message that is being sent: see docs/decisions/0071.
-- In no index, unlike due_at, so that standing back and going on write nothing but the row.
alter table event_deliveries add column waits_until timestamptz;
