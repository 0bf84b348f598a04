-- The same checks for the other tables with statuses (docs/decisions/0107).

-- Checks (true in every version): STATUSES in src/messages/message-state.ts.
alter table usage_counts add constraint usage_counts_status_check
  check (status in ('CREATED', 'SCHEDULED', 'QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED')) not valid;
-- Checks (true in every version): STATUSES in src/messages/message-state.ts.
alter table usage_totals add constraint usage_totals_status_check
  check (status in ('CREATED', 'SCHEDULED', 'QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED')) not valid;
-- Checks (true in every version): STATUSES in src/messages/message-state.ts.
alter table open_counts add constraint open_counts_status_check
  check (status in ('CREATED', 'SCHEDULED', 'QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED')) not valid;
-- Checks (true in every version): RECEIPT_STATUSES in src/messages/carrier-port.ts.
alter table unmatched_receipts add constraint unmatched_receipts_status_check
  check (status in ('SENT', 'DELIVERED', 'READ', 'FAILED')) not valid;
-- Checks (true in every version): NUMBER_STATUSES in src/numbers/number.ts.
alter table numbers add constraint numbers_status_check check (status in ('ACTIVE', 'PENDING', 'FAILED')) not valid;
-- Checks (true in every version): TASK_PHASES in src/numbers/provider-number-queries.ts.
alter table rented_numbers add constraint rented_numbers_phase_check
  check (phase in ('order', 'bind', 'held', 'move', 'release')) not valid;
-- Checks (true in every version): REGISTRATION_STATES in src/brands/registration.ts.
alter table registrations add constraint registrations_state_check
  check (state in ('submit', 'review', 'registered', 'suspended', 'returned', 'end')) not valid;
-- Checks (true in every version): REGISTRATION_KINDS in src/brands/registration.ts.
alter table registrations add constraint registrations_kind_check check (kind in ('brand', 'campaign')) not valid;
-- Checks (true in every version): PHASES of a campaign that ends.
alter table campaign_endings add constraint campaign_endings_phase_check
  check (phase in ('optouts', 'numbers', 'late_optouts', 'messages', 'settling')) not valid;
-- Checks (true in every version): CALL_OUTCOMES in src/voice/records/call-record.ts.
alter table call_records add constraint call_records_outcome_check
  check (outcome in ('forwarded', 'forwarded_unpaid', 'not_forwarded', 'stopped', 'loop', 'not_allowed')) not valid;
