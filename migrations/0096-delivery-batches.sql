-- Deliveries that skip the queue (docs/decisions/0148) have no row of their own while they are in progress. What a statement leases to one
-- webhook is one row here.

create table delivery_batches (
  account_id text collate "C" not null,
  id text collate "C" not null,
  subscriber_id text collate "C" not null,
  event_ids text[] not null,
  lease_until timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, id)
) with (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.1);

create index delivery_batches_lease on delivery_batches (lease_until);

comment on table delivery_batches is 'Deliveries of status events that one process sends without the queue. Those that are neither in event_arrivals nor in event_deliveries are in progress';
comment on column delivery_batches.lease_until is 'Then what is in progress goes to the queue, and the row is deleted';
