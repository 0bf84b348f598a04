-- Call forwarding that is stopped, for a whole account or for one number.

-- Accounts whose calls are not forwarded because they are suspended. Processes that answer calls follow this table the
-- way they follow forwarding_changes: a row that no longer applies stays until every process has read it. It stays on
-- the coordinator of a cluster, next to forwarding_changes, so following it needs no worker.
create table forwarding_stops (
  account_id text collate "C" primary key,
  is_stopped boolean not null,
  changed_in xid8 not null
);
create index forwarding_stops_order on forwarding_stops (changed_in);

insert into forwarding_stops (account_id, is_stopped, changed_in)
select account_id, true, '0'::xid8 from accounts where status = 'SUSPENDED';

-- When an operator stopped the forwarding of the number. While it is set, the number accepts no target.
alter table numbers add column forwarding_stopped_at timestamptz;
