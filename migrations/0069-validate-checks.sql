-- Validates the checks of 0066 to 0068 against existing rows. After those have committed, this blocks neither reads nor writes.

alter table messages validate constraint messages_status_check;
alter table usage_counts validate constraint usage_counts_status_check;
alter table usage_totals validate constraint usage_totals_status_check;
alter table open_counts validate constraint open_counts_status_check;
alter table unmatched_receipts validate constraint unmatched_receipts_status_check;
alter table numbers validate constraint numbers_status_check;
alter table rented_numbers validate constraint rented_numbers_phase_check;
alter table registrations validate constraint registrations_state_check;
alter table registrations validate constraint registrations_kind_check;
alter table campaign_endings validate constraint campaign_endings_phase_check;
alter table call_records validate constraint call_records_outcome_check;
