-- As for messages: read backwards at the same price, and written at the end.
drop index event_deliveries_subscriber;
create index event_deliveries_subscriber on event_deliveries (account_id, subscriber_id, id);
drop index event_deliveries_undelivered;
create index event_deliveries_undelivered on event_deliveries (account_id, subscriber_id, id)
  where state in ('held', 'failed');
