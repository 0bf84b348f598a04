-- Numbers that a carrier refuses as senders: messages from them fail, and the link stays up for all others (docs/decisions/0023).
alter table numbers
  add column refused_at timestamptz, -- since when; null: no carrier refuses it
  add column refused_by text, -- the link
  add column refused_as text, -- the carrier's code and text
  add column refused_until timestamptz; -- until then nothing is tried from it by that link
create index numbers_refused on numbers (refused_at) where refused_at is not null;
