-- A message takes a third less space: see docs/decisions/0071.

-- Of a delivery that arrived at its first attempt: when that was made, and how it went. Null of all others, whose
-- attempts are rows of webhook_attempts.
alter table event_deliveries
  add column attempted_at timestamptz,
  add column duration_ms integer,
  add column response_status smallint,
  add column response_body text,
  -- What of it cannot be worked out from event, message and webhook (webhooks/arrivals.ts); null once redacted.
  add column request text;

-- A subscriber belongs to one account, so its id alone is enough, as a campaign's is for messages; and a message has
-- few events. The former ones began with the account, too.
create index event_deliveries_list on event_deliveries (subscriber_id, id);
create index event_deliveries_wait on event_deliveries (subscriber_id, due_at) where due_at is not null;
create index event_deliveries_order on event_deliveries (message_id)
  where state = 'pending' and sequence is not null;
drop index event_deliveries_subscriber;
drop index event_deliveries_queue;
drop index event_deliveries_open;
