-- Pages of messages keep room for the next version of every row. A row is largest when it is DELIVERED, and on pages that were half full a quarter
-- of the rows had to move to another page, which writes all their index entries again. See docs/decisions/0137. Only new pages are affected.
do $$
declare
  partition regclass;
begin
  for partition in select inhrelid::regclass from pg_inherits where inhparent = 'messages'::regclass loop
    execute format('alter table %s set (fillfactor = 38)', partition);
  end loop;
end $$;
