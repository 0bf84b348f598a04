-- Accounts without their own retention of messages follow a default of the installation. keeps_records: the account's
-- messages are kept forever, by choice. record_days is null then, and also if the default applies.
alter table account_retention add column keeps_records boolean not null default false;

-- The default, from the setting LONGCODE_RECORD_DAYS. An installation that has messages already deletes nothing by it for
-- thirty days, so there is time to choose. See docs/decisions/0135.
create table record_retention (
  only_row boolean not null default true primary key check (only_row),
  days integer, -- null: kept
  applies_from timestamptz not null
);
insert into record_retention (days, applies_from)
select 396, case when exists (select 1 from messages) then now() + interval '30 days' else timestamptz 'epoch' end;

-- While a partition is copied (src/kit/partitions/repack.ts), a trigger on it calls this for each row that changes. Its
-- argument is the table that the row's key goes to. There is no trigger at other times, and none on a Citus cluster.
create function note_changed_row() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    execute format('insert into %I values ($1, $2)', tg_argv[0]) using new.account_id, new.id;
  else
    execute format('insert into %I values ($1, $2)', tg_argv[0]) using old.account_id, old.id;
  end if;
  return null;
end $$;
