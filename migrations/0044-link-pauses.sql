-- Carrier links that accept no new messages for now: an operator paused them, or they refused several messages in a row
-- for the same reason (docs/decisions/0089). Not tenant data.
create table link_pauses (
  link text collate "C" primary key,
  paused_at timestamptz not null,
  paused_by text not null,
  reason text not null,
  code text, -- the refusal that was repeated; null: an operator paused it
  probe_at timestamptz, -- when one message may try again; null: only an operator resumes it
  probes integer not null default 0
);
