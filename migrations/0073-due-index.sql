-- A claim of one subscriber's deliveries must not be able to use the index over all subscribers: if the planner's
-- statistics are from when nothing was pending, both seem to cost nothing. This condition follows from comparisons with
-- the UTC time, which only the search for due subscribers makes, and not from comparisons with due_at.

drop index event_deliveries_due;
create index event_deliveries_due on event_deliveries ((due_at at time zone 'UTC'))
  where (due_at at time zone 'UTC') is not null;
