-- What an operator sets for one SMPP customer. Null: the limits of the server (LONGCODE_SMPP_RATE, _BINDS, _WINDOW) apply.
alter table accounts
  add column smpp_per_second integer,
  add column smpp_binds integer,
  add column smpp_window integer;
-- The addresses and networks that a system id may bind from, such as 192.0.2.0/24. Null: any.
alter table smpp_systems add column allowed_addresses text[];

-- How much of a link's perSecond each process may send, if the link is shared (docs/decisions/0095). Each process renews its row once
-- a second. Not tenant data.
create table link_shares (
  link text collate "C" not null,
  process text collate "C" not null,
  per_second integer not null,
  per_second_before integer not null, -- until its last renewal: others count the greater of both
  wanted integer not null, -- what it could use
  renewals bigint not null, -- a row whose count stands still is that of a process that has ended
  seen_at timestamptz not null,
  primary key (link, process)
);
