-- The service's clock, ahead of the system's by this much (the sandbox can move it). One row.

create table service_clock (
  only_row boolean primary key default true check (only_row),
  offset_ms bigint not null default 0
);
insert into service_clock default values;
