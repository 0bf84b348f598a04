-- Deliveries of a subscriber, newest first, by the millisecond that their ids begin with: those of one statement share one,
-- and PostgreSQL keeps what is equal in an index once. Within it they are sorted as they are read. See docs/decisions/0071.
create index event_deliveries_moment on event_deliveries (subscriber_id, left(id, 14));
drop index event_deliveries_list;
