-- The same checks for events. In a separate transaction from messages: a statement that moves a message locks both tables.

-- Checks (true in every version): STATUSES in src/messages/message-state.ts.
alter table events add constraint events_status_check
  check (status in ('CREATED', 'SCHEDULED', 'QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED')) not valid;
-- Checks (true in every version): STATUSES in src/messages/message-state.ts.
alter table events add constraint events_previous_status_check
  check (previous_status in ('CREATED', 'SCHEDULED', 'QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED')) not valid;
