-- A lease in a column that no index holds: claiming a delivery updates its row in place, where a change of
-- due_at made new entries in four indexes. See docs/decisions/0047.
alter table event_deliveries add column lease_until timestamptz;
update event_deliveries set lease_until = due_at, due_at = created_at where is_leased;
drop index event_deliveries_due;
alter table event_deliveries drop column is_leased;
-- As an expression, so that the planner does not take it for the queue of one subscriber.
create index event_deliveries_due on event_deliveries ((due_at at time zone 'UTC'))
  where due_at is not null;
-- Room on its page for the leased version of every row.
alter table event_deliveries set (fillfactor = 50);
