-- The inbox: conversations in which someone replied, their notes, contacts, and saved replies (docs/decisions/0126).

create table conversations (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient text collate "C" not null,
  position text collate "C" not null,
  status text not null,
  is_unread boolean not null,
  is_waiting boolean not null,
  assignee text,
  updated_at timestamptz not null,
  primary key (account_id, campaign_id, recipient),
  constraint conversations_status_check check (status in ('OPEN', 'CLOSED'))
);

create index conversations_open on conversations (account_id, position) where status = 'OPEN';
create index conversations_closed on conversations (account_id, position) where status = 'CLOSED';
create index conversations_unread on conversations (account_id, position)
  where status = 'OPEN' and is_unread;
create index conversations_waiting on conversations (account_id, position)
  where status = 'OPEN' and is_waiting;
create index conversations_assigned on conversations (account_id, assignee, position)
  where status = 'OPEN' and assignee is not null;

create table conversation_notes (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient text collate "C" not null,
  author text,
  body text not null,
  created_at timestamptz not null,
  primary key (account_id, campaign_id, recipient, id)
);

create table contacts (
  account_id text collate "C" not null,
  phone_number text collate "C" not null,
  name text not null,
  fields jsonb not null,
  updated_at timestamptz not null,
  primary key (account_id, phone_number)
);

create index contacts_name on contacts (account_id, lower(name) collate "C", phone_number);

create table saved_replies (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  body text not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);

comment on table conversations is 'Conversations in the inbox: someone replied, or someone assigned or closed it. Others have no row';
comment on column conversations.position is 'Sorts the inbox: the ID of the last reply, or an ID with the time of the first change if there was no reply';
comment on column conversations.is_waiting is 'The recipient wrote last. Sends do not write here: a reader checks for a later message, and then resets it';
comment on column conversations.assignee is 'A user, or a name that the customer''s own system uses';
comment on table conversation_notes is 'Internal notes. Recipients never see them';
comment on table contacts is 'Names and fields of recipients, for all campaigns of the account';
comment on table saved_replies is 'Texts for the composer, with fields such as {{name}}';
