-- Which columns of messages are the queue, and which values its status columns may have (docs/decisions/0107).
-- test/status-checks.test.ts compares the values with the program's lists. The checks are not validated here: that reads
-- the whole table, and this holds a lock that blocks writers. 0069 validates them.

comment on column messages.due_at is 'queue: when to attempt it next; a claim moves it to the end of its lease. Null: not in the queue';
comment on column messages.route is 'queue: the lane that it waits in, together with its campaign';
comment on column messages.attempts is 'queue: attempts so far';
comment on column messages.expires_at is 'queue: when it expires if it is still waiting. Null: the default applies';
comment on column messages.media_checked is 'queue: its media URLs were checked';
comment on column messages.media_files is 'queue: hashes of the files that are sent instead of media_urls. Null: media_urls are sent';
comment on column messages.counted_day is 'queue: the Pacific day on which it last counted toward the T-Mobile cap';
comment on column messages.settle_at is 'queue: when a submit without a response is settled; not sent again before. Null otherwise';
comment on column messages.unknown_link is 'queue: the link that the submit without a response used';
comment on column messages.unproven_at is 'queue: since when its outcome is settled without proof; a late receipt may still match it';
comment on column messages.delivered_parts is 'queue: of a long message: one bit for each part that is delivered';

-- Checks (true in every version): STATUSES in src/messages/message-state.ts. As one array: every statement that writes messages parses
-- this again, and a list of texts takes several times as long.
alter table messages add constraint messages_status_check
  check (status = any ('{CREATED,SCHEDULED,QUEUED,SENT,DELIVERED,READ,FAILED,EXPIRED}')) not valid;
