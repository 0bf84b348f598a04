-- What the processes that dispatch say of their carrier links, one row each: only they know, and everybody
-- is asked. Neither table is tenant data.
create table carrier_links (
  process text collate "C" primary key,
  links jsonb not null, -- how each stands, what it did in the last minutes, its last errors (carriers/link-report.ts)
  loaded_at timestamptz not null, -- when the settings in force were read
  reload_id text collate "C", -- the last request to read them again that was carried out
  reload_error text, -- what was wrong with them then: the former ones stay in force
  seen_at timestamptz not null -- a row that nobody renews is that of a process that has ended
);

-- The last request to read the settings of the carriers again. At most one row.
create table carrier_reloads (
  only_row boolean primary key default true check (only_row),
  id text collate "C" not null,
  requested_at timestamptz not null,
  requested_by text not null
);
