-- The trace of a sampled message, so that every process continues it. Messages that are not sampled have no row.

create table traces (
  account_id text collate "C" not null,
  subject_id text collate "C" not null,
  traceparent text not null,
  created_at timestamptz not null,
  primary key (account_id, subject_id)
);

create index traces_created_at on traces (created_at);

comment on table traces is 'Traces that follow a record, such as a message, from request to webhook. Deleted after a week';
comment on column traces.traceparent is 'W3C trace context: the trace and the span that accepted the record';
