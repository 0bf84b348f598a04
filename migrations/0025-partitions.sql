-- What grows with every message is cut by time: messages, events, deliveries and attempts become tables of
-- partitions, by their ids, which begin with the time. Each begins with one partition that holds everything, the
-- table that was there: nothing is copied or scanned. The schedule role cuts it when it is large, makes partitions
-- ahead and drops old ones (src/kit/postgres/partitions.ts, docs/decisions/0072). Columns, indexes and constraints are
-- taken from the catalogue. Storage parameters (fillfactor …) are a partition's own; the next one gets those of the last.

do $$
declare
  name text;
  first text;
  key text;
  others text[];
  statement text;
begin
  foreach name in array array['messages', 'events', 'event_deliveries', 'webhook_attempts'] loop
    first := name || '_first';
    key := (select pg_get_constraintdef(oid) from pg_constraint
      where conrelid = name::regclass and contype = 'p');
    others := array(select pg_get_indexdef(indexrelid) from pg_index
      where indrelid = name::regclass and not indisprimary order by indexrelid);
    for statement in
      select format('alter index %I rename to %I', c.relname, replace(c.relname, name, first))
      from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = name::regclass
    loop
      execute statement;
    end loop;
    execute format('alter table %I rename to %I', name, first);
    execute format('create table %I (like %I including all excluding indexes) partition by range (%I)',
      name, first, case name when 'webhook_attempts' then 'delivery_id' else 'id' end);
    execute format('alter table %I add %s', name, key);
    foreach statement in array others loop
      execute statement;
    end loop;
    -- On a Citus cluster that has the former table, the new one lies beside it.
    if exists (select from pg_extension where extname = 'citus') then
      execute format('select create_distributed_table(%L, %L, colocate_with => %L) from pg_dist_partition
        where logicalrelid = %L::regclass', name, 'account_id', first, first);
    end if;
    execute format('alter table %I attach partition %I for values from (minvalue) to (maxvalue)',
      name, first);
  end loop;
end $$;
