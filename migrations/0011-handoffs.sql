-- A batch of accepted messages that the accepting process sends at once, in memory. Until it is done the
-- row is its lease: when that runs out, whoever finds it puts the messages that are left into the queue.
-- One row per batch, not a due_at per message, so that sending a message updates its row in place.
create table handoffs (
  account_id text collate "C" not null,
  first_id text collate "C" not null,
  last_id text collate "C" not null, -- the ids of one batch are of one millisecond
  lease_until timestamptz not null,
  primary key (account_id, first_id)
);
create index handoffs_lease on handoffs (lease_until);

-- Room on its page for a second version of every row of a batch, all of which are sent at once: the
-- first of them make way only when that is committed.
alter table messages set (fillfactor = 50);
