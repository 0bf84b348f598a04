-- What the migrations come to, in order of names, for reading. Written by `npm run schema`: change a
-- migration, never this file. The reasons are in migrations/.

CREATE OR REPLACE FUNCTION public.note_changed_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    execute format('insert into %I values ($1, $2)', tg_argv[0]) using new.account_id, new.id;
  else
    execute format('insert into %I values ($1, $2)', tg_argv[0]) using old.account_id, old.id;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the audit log is append-only';
end $function$;

create table access_tokens (
  token_hash bytea not null,
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  campaigns text[],
  created_by text collate "C",
  constraint access_tokens_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX access_tokens_account ON public.access_tokens USING btree (account_id, id DESC);
CREATE INDEX access_tokens_creator ON public.access_tokens USING btree (account_id, created_by) WHERE (created_by IS NOT NULL);

create table account_brandings (
  account_id text collate "C" not null,
  updated_at timestamp with time zone not null,
  name text, -- Null: that of the installation
  color text, -- #rrggbb. Null: that of the installation
  support text, -- An email address or an https URL. Null: that of the installation
  logo bytea, -- A PNG, JPEG, or WebP image. Null: that of the installation
  constraint account_brandings_pkey PRIMARY KEY (account_id)
);

create table account_ledgers (
  account_id text collate "C" not null,
  wallet_micros bigint not null default 0,
  funding_micros bigint not null default 0,
  fees_micros bigint not null default 0,
  numbers_micros bigint not null default 0,
  messages_micros bigint not null default 0,
  constraint account_ledgers_pkey PRIMARY KEY (account_id),
  constraint wallet_covered CHECK ((wallet_micros >= 0))
) with (fillfactor=50);

create table account_retention (
  account_id text collate "C" not null,
  message_days integer,
  media_days integer,
  messages_done text collate "C" not null default ''::text,
  media_done text collate "C" not null default ''::text,
  deleting_since timestamp with time zone,
  record_days integer,
  records_done text collate "C" not null default ''::text,
  keeps_records boolean not null default false,
  constraint account_retention_pkey PRIMARY KEY (account_id),
  constraint account_retention_media_days_check CHECK ((media_days > 0)),
  constraint account_retention_message_days_check CHECK ((message_days > 0)),
  constraint account_retention_record_days_check CHECK (((record_days >= 30) AND (record_days <= 3650)))
);

create table accounts (
  account_id text collate "C" not null,
  name text not null,
  status text not null default 'ACTIVE'::text,
  low_balance_micros bigint,
  created_at timestamp with time zone not null,
  smpp_per_second integer,
  smpp_binds integer,
  smpp_window integer,
  queued_messages_max bigint,
  stored_messages_max bigint,
  media_bytes_max bigint,
  webhooks_max bigint,
  constraint accounts_pkey PRIMARY KEY (account_id),
  constraint accounts_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'SUSPENDED'::text, 'DELETED'::text])))
);
CREATE INDEX accounts_threshold ON public.accounts USING btree (account_id) WHERE (low_balance_micros IS NOT NULL);

create table alert_lease (
  only_row boolean not null default true,
  holder text not null,
  expires_at timestamp with time zone not null,
  constraint alert_lease_pkey PRIMARY KEY (only_row),
  constraint alert_lease_only_row_check CHECK (only_row)
);

create table alert_settings (
  account_id text collate "C" not null,
  muted_kinds text[] not null,
  updated_at timestamp with time zone not null,
  balance_days integer, -- Null: the default
  constraint alert_settings_pkey PRIMARY KEY (account_id)
);

create table alerts (
  account_id text collate "C" not null,
  id text collate "C" not null,
  kind text not null,
  campaign_id text collate "C",
  since timestamp with time zone not null,
  raised_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  cleared_at timestamp with time zone,
  what_happened text not null,
  what_to_do text not null,
  subject text collate "C" not null, -- What it is about: a carrier, a campaign, an error code, the origin of a webhook, a number, or a link
  figures jsonb not null, -- The last values. The normal rate stays as it was when the alert was raised
  constraint alerts_pkey PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX alerts_open ON public.alerts USING btree (account_id, kind, subject) WHERE (cleared_at IS NULL);

create table audit_log (
  id text collate "C" not null,
  at timestamp with time zone not null,
  actor_kind text not null,
  actor_id text collate "C",
  actor_name text not null,
  origin text not null,
  request_id text collate "C",
  act text collate "C" not null,
  account_id text collate "C",
  subject text collate "C",
  before jsonb,
  after jsonb,
  constraint audit_log_pkey PRIMARY KEY (id),
  constraint audit_log_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['operator'::text, 'customer'::text, 'command'::text])))
);
CREATE INDEX audit_log_account ON public.audit_log USING btree (account_id, id DESC);
CREATE INDEX audit_log_act ON public.audit_log USING btree (act, id DESC);
CREATE INDEX audit_log_subject ON public.audit_log USING btree (subject, id DESC);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

create table brands (
  account_id text collate "C" not null,
  id text collate "C" not null,
  status text not null,
  entity_type text not null,
  entity_name text,
  display_name text,
  ein text,
  website_url text,
  privacy_link text,
  street text,
  city text,
  state text,
  postal_code text,
  country text,
  first_name text,
  last_name text,
  email text,
  phone text,
  trust_score smallint,
  review_notes jsonb not null default '[]'::jsonb,
  submitted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  vertical text,
  terms_link text,
  constraint brands_pkey PRIMARY KEY (account_id, id),
  constraint brands_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'PENDING'::text, 'VERIFIED'::text, 'UNVERIFIED'::text, 'VETTED'::text]))),
  constraint brands_trust_score_check CHECK (((trust_score >= 0) AND (trust_score <= 100)))
);
CREATE INDEX brands_id ON public.brands USING btree (id);
CREATE INDEX brands_pending ON public.brands USING btree (submitted_at) WHERE (status = 'PENDING'::text);

create table call_accounts (
  account_id text collate "C" not null,
  day date not null,
  forwarded integer not null,
  constraint call_accounts_pkey PRIMARY KEY (account_id)
);

create table call_records (
  account_id text collate "C" not null,
  id text collate "C" not null,
  phone_number text collate "C" not null,
  trunk text collate "C" not null,
  call_id text collate "C" not null,
  outcome text not null,
  caller text,
  price_micros bigint not null,
  constraint call_records_pkey PRIMARY KEY (account_id, id),
  constraint call_records_outcome_check CHECK ((outcome = ANY (ARRAY['forwarded'::text, 'forwarded_unpaid'::text, 'not_forwarded'::text, 'stopped'::text, 'loop'::text, 'not_allowed'::text])))
);
CREATE INDEX call_records_call ON public.call_records USING btree (call_id);
CREATE INDEX call_records_callers ON public.call_records USING btree (id) WHERE (caller IS NOT NULL);
CREATE INDEX call_records_number ON public.call_records USING btree (phone_number, id);
CREATE INDEX call_records_time ON public.call_records USING btree (id);
CREATE INDEX call_records_trunk ON public.call_records USING btree (trunk, id);

create table campaign_endings (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  move_numbers_to text collate "C",
  ended_at timestamp with time zone not null,
  phase text not null,
  optouts_after text collate "C" not null default ''::text,
  numbers_released integer not null default 0,
  numbers_moved integer not null default 0,
  messages_cancelled integer not null default 0,
  refunded_micros bigint not null default 0,
  look_at timestamp with time zone,
  constraint campaign_endings_pkey PRIMARY KEY (account_id, campaign_id),
  constraint campaign_endings_phase_check CHECK ((phase = ANY (ARRAY['optouts'::text, 'numbers'::text, 'late_optouts'::text, 'messages'::text, 'settling'::text])))
);
CREATE INDEX campaign_endings_open ON public.campaign_endings USING btree (look_at) WHERE (look_at IS NOT NULL);

create table campaign_profiles (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  link text collate "C" not null,
  profile_id text,
  begun_at timestamp with time zone not null,
  constraint campaign_profiles_pkey PRIMARY KEY (account_id, campaign_id, link)
);

create table campaigns (
  account_id text collate "C" not null,
  id text collate "C" not null,
  brand_id text collate "C" not null,
  status text not null,
  display_name text not null,
  usecase text,
  sub_usecases text[] not null default '{}'::text[],
  description text,
  consent_flow text,
  screenshot_url text,
  samples text[] not null default '{NULL,NULL,NULL,NULL,NULL}'::text[],
  optin_keywords text[] not null,
  optout_keywords text[] not null,
  help_keywords text[] not null,
  optin_message text not null,
  optout_message text not null,
  help_message text not null,
  is_low_volume boolean not null default false,
  hold_at_daily_cap boolean not null default false,
  acts_on_near_optout boolean not null default true,
  fee_paid boolean not null default false,
  sms_tpm_att integer,
  mms_tpm_att integer,
  daily_tmo_cap integer,
  monthly_fee_micros bigint,
  review_notes jsonb not null default '[]'::jsonb,
  suspended_for text,
  submitted_at timestamp with time zone,
  approved_at timestamp with time zone,
  renewal_day smallint,
  period_start timestamp with time zone,
  renews_at timestamp with time zone,
  grace_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  limits_set_by_operator boolean not null default false,
  ended_at timestamp with time zone,
  constraint campaigns_pkey PRIMARY KEY (account_id, id),
  constraint campaigns_account_id_brand_id_fkey FOREIGN KEY (account_id, brand_id) REFERENCES brands(account_id, id),
  constraint campaigns_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'PENDING'::text, 'ACTIVE'::text, 'SUSPENDED'::text, 'ENDED'::text])))
);
CREATE INDEX campaigns_brand ON public.campaigns USING btree (account_id, brand_id);
CREATE INDEX campaigns_id ON public.campaigns USING btree (id);
CREATE INDEX campaigns_pending ON public.campaigns USING btree (submitted_at) WHERE (status = 'PENDING'::text);
CREATE INDEX campaigns_renewal ON public.campaigns USING btree (renews_at) WHERE (renews_at IS NOT NULL);
CREATE INDEX campaigns_unpaid ON public.campaigns USING btree (account_id, id) WHERE (grace_until IS NOT NULL);

create table carrier_ids (
  sent_at timestamp with time zone not null,
  slot smallint not null,
  part smallint not null,
  parts smallint not null,
  account_id text collate "C" not null,
  link text collate "C" not null,
  carrier_id text collate "C" not null,
  message_id text collate "C" not null
) partition by LIST (slot);
CREATE INDEX carrier_ids_folded ON public.carrier_ids USING btree (link, lower(carrier_id)) WHERE ((carrier_id <> lower(carrier_id)) AND (carrier_id <> upper(carrier_id)));
CREATE INDEX carrier_ids_link ON public.carrier_ids USING btree (link, carrier_id);

create table carrier_ids_0 partition of carrier_ids FOR VALUES IN ('0');

create table carrier_ids_1 partition of carrier_ids FOR VALUES IN ('1');

create table carrier_ids_2 partition of carrier_ids FOR VALUES IN ('2');

create table carrier_ids_3 partition of carrier_ids FOR VALUES IN ('3');

create table carrier_links (
  process text collate "C" not null,
  links jsonb not null,
  loaded_at timestamp with time zone not null,
  reload_id text collate "C",
  reload_error text,
  seen_at timestamp with time zone not null,
  constraint carrier_links_pkey PRIMARY KEY (process)
);

create table carrier_messages (
  slot smallint not null,
  link text collate "C" not null,
  carrier_id text collate "C" not null,
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  part smallint not null,
  parts smallint not null,
  sent_at timestamp with time zone not null,
  constraint carrier_messages_pkey PRIMARY KEY (link, carrier_id, slot)
) partition by LIST (slot);
CREATE INDEX carrier_messages_folded ON public.carrier_messages USING btree (link, lower(carrier_id)) WHERE ((carrier_id <> lower(carrier_id)) AND (carrier_id <> upper(carrier_id)));

create table carrier_messages_0 partition of carrier_messages FOR VALUES IN ('0');

create table carrier_messages_1 partition of carrier_messages FOR VALUES IN ('1');

create table carrier_messages_2 partition of carrier_messages FOR VALUES IN ('2');

create table carrier_messages_3 partition of carrier_messages FOR VALUES IN ('3');

create table carrier_reloads (
  only_row boolean not null default true,
  id text collate "C" not null,
  requested_at timestamp with time zone not null,
  requested_by text not null,
  constraint carrier_reloads_pkey PRIMARY KEY (only_row),
  constraint carrier_reloads_only_row_check CHECK (only_row)
);

create table console_sessions (
  secret_hash bytea not null,
  kind text not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint console_sessions_pkey PRIMARY KEY (secret_hash),
  constraint console_sessions_kind_check CHECK ((kind = ANY (ARRAY['session'::text, 'link'::text])))
);
CREATE INDEX console_sessions_age ON public.console_sessions USING btree (expires_at);

create table contacts (
  account_id text collate "C" not null,
  phone_number text collate "C" not null,
  name text not null,
  fields jsonb not null,
  updated_at timestamp with time zone not null,
  constraint contacts_pkey PRIMARY KEY (account_id, phone_number)
);
CREATE INDEX contacts_name ON public.contacts USING btree (account_id, lower(name) COLLATE "C", phone_number);

create table conversation_notes (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient text collate "C" not null,
  author text,
  body text not null,
  created_at timestamp with time zone not null,
  constraint conversation_notes_pkey PRIMARY KEY (account_id, campaign_id, recipient, id)
);

create table conversations (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient text collate "C" not null,
  status text not null,
  is_unread boolean not null,
  updated_at timestamp with time zone not null,
  position text collate "C" not null, -- Sorts the inbox: the ID of the last reply, or an ID with the time of the first change if there was no reply
  is_waiting boolean not null, -- The recipient wrote last. Sends do not write here: a reader checks for a later message, and then resets it
  assignee text, -- A user, or a name that the customer's own system uses
  constraint conversations_pkey PRIMARY KEY (account_id, campaign_id, recipient),
  constraint conversations_status_check CHECK ((status = ANY (ARRAY['OPEN'::text, 'CLOSED'::text])))
);
CREATE INDEX conversations_assigned ON public.conversations USING btree (account_id, assignee, "position") WHERE ((status = 'OPEN'::text) AND (assignee IS NOT NULL));
CREATE INDEX conversations_closed ON public.conversations USING btree (account_id, "position") WHERE (status = 'CLOSED'::text);
CREATE INDEX conversations_open ON public.conversations USING btree (account_id, "position") WHERE (status = 'OPEN'::text);
CREATE INDEX conversations_unread ON public.conversations USING btree (account_id, "position") WHERE ((status = 'OPEN'::text) AND is_unread);
CREATE INDEX conversations_waiting ON public.conversations USING btree (account_id, "position") WHERE ((status = 'OPEN'::text) AND is_waiting);

create table delivery_batches (
  account_id text collate "C" not null,
  id text collate "C" not null,
  subscriber_id text collate "C" not null,
  event_ids text[] not null,
  created_at timestamp with time zone not null,
  lease_until timestamp with time zone not null, -- Then what is in progress goes to the queue, and the row is deleted
  constraint delivery_batches_pkey PRIMARY KEY (account_id, id)
) with (autovacuum_vacuum_threshold=500, autovacuum_vacuum_scale_factor=0.1);
CREATE INDEX delivery_batches_lease ON public.delivery_batches USING btree (lease_until);

create table emails (
  account_id text collate "C" not null,
  id text collate "C" not null,
  recipient text not null,
  created_at timestamp with time zone not null,
  attempts smallint not null,
  finished_at timestamp with time zone,
  problem text,
  dedupe_key text collate "C" not null, -- What it is about and for whom: nobody gets two emails about one thing
  content jsonb not null, -- Erased when the email is sent or given up: an invitation has a link that signs in
  due_at timestamp with time zone, -- When the next attempt is due, or when a lease ends. Null: sent or given up
  constraint emails_pkey PRIMARY KEY (account_id, id)
);
CREATE INDEX emails_due ON public.emails USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX emails_dedupe ON public.emails USING btree (account_id, dedupe_key);

create table event_arrivals (
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone not null,
  attempted_at timestamp with time zone not null,
  duration_ms integer not null,
  response_status smallint,
  sequence smallint,
  account_id text collate "C" not null,
  id text collate "C" not null,
  subscriber_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  message_id text collate "C",
  response_body text,
  request text,
  constraint event_arrivals_pkey PRIMARY KEY (account_id, id)
) partition by RANGE (id);
CREATE INDEX event_arrivals_moment ON public.event_arrivals USING btree (subscriber_id, "left"(id, 14));

create table event_arrivals_first partition of event_arrivals FOR VALUES FROM (MINVALUE) TO (MAXVALUE);

create table event_deliveries (
  account_id text collate "C" not null,
  id text collate "C" not null,
  subscriber_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  message_id text collate "C",
  sequence smallint,
  state text not null,
  attempts integer not null default 0,
  attempts_before integer not null default 0,
  due_at timestamp with time zone,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  lease_until timestamp with time zone,
  attempted_at timestamp with time zone,
  duration_ms integer,
  response_status smallint,
  response_body text,
  request text,
  waits_until timestamp with time zone,
  constraint event_deliveries_pkey PRIMARY KEY (account_id, id),
  constraint event_deliveries_check CHECK (((state = 'pending'::text) = (due_at IS NOT NULL))),
  constraint event_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'held'::text, 'delivered'::text, 'failed'::text])))
) partition by RANGE (id);
CREATE INDEX event_deliveries_due ON public.event_deliveries USING btree ((due_at AT TIME ZONE 'UTC'::text)) WHERE ((due_at AT TIME ZONE 'UTC'::text) IS NOT NULL);
CREATE INDEX event_deliveries_moment ON public.event_deliveries USING btree (subscriber_id, "left"(id, 14));
CREATE INDEX event_deliveries_order ON public.event_deliveries USING btree (message_id) WHERE ((state = 'pending'::text) AND (sequence IS NOT NULL));
CREATE INDEX event_deliveries_undelivered ON public.event_deliveries USING btree (account_id, subscriber_id, id) WHERE (state = ANY (ARRAY['held'::text, 'failed'::text]));
CREATE INDEX event_deliveries_wait ON public.event_deliveries USING btree (subscriber_id, due_at) WHERE (due_at IS NOT NULL);

create table event_deliveries_first partition of event_deliveries FOR VALUES FROM (MINVALUE) TO (MAXVALUE) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=1000);

create table event_subscriptions (
  account_id text collate "C" not null,
  subscriber_id text collate "C" not null,
  campaign_id text collate "C" not null,
  event_types text[] not null,
  numbers text[],
  is_enabled boolean not null default true,
  brand_id text collate "C",
  receipts_of text collate "C",
  constraint event_subscriptions_pkey PRIMARY KEY (account_id, subscriber_id)
);
CREATE INDEX event_subscriptions_brand ON public.event_subscriptions USING btree (account_id, brand_id) WHERE (brand_id IS NOT NULL);
CREATE INDEX event_subscriptions_campaign ON public.event_subscriptions USING btree (account_id, campaign_id);

create table events (
  account_id text collate "C" not null,
  id text collate "C" not null,
  event_type text not null,
  campaign_id text collate "C",
  number text,
  message_id text collate "C",
  sequence smallint,
  status text,
  previous_status text,
  error_code integer,
  error_message text,
  data jsonb,
  created_at timestamp with time zone not null,
  constraint events_pkey PRIMARY KEY (account_id, id)
) partition by RANGE (id);

create table events_first partition of events FOR VALUES FROM (MINVALUE) TO (MAXVALUE);

create table forwarding_changes (
  phone_number text collate "C" not null,
  is_held boolean not null,
  forward_number text,
  changed_in xid8 not null,
  constraint forwarding_changes_pkey PRIMARY KEY (phone_number)
);
CREATE INDEX forwarding_changes_order ON public.forwarding_changes USING btree (changed_in);

create table forwarding_limits (
  account_id text collate "C" not null,
  began_at timestamp with time zone not null,
  changes integer not null,
  constraint forwarding_limits_pkey PRIMARY KEY (account_id)
);

create table forwarding_stops (
  account_id text collate "C" not null,
  is_stopped boolean not null,
  changed_in xid8 not null,
  constraint forwarding_stops_pkey PRIMARY KEY (account_id)
);
CREATE INDEX forwarding_stops_order ON public.forwarding_stops USING btree (changed_in);

create table handoffs (
  account_id text collate "C" not null,
  first_id text collate "C" not null,
  last_id text collate "C" not null,
  lease_until timestamp with time zone not null,
  constraint handoffs_pkey PRIMARY KEY (account_id, first_id)
);
CREATE INDEX handoffs_lease ON public.handoffs USING btree (lease_until);

create table idempotency_keys (
  account_id text collate "C" not null,
  key text collate "C" not null,
  request_hash bytea not null,
  answer text not null,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

create table inbound_ids (
  slot smallint not null,
  link text collate "C" not null,
  carrier_id text collate "C" not null,
  connection text collate "C" not null,
  message_id text collate "C",
  received_at timestamp with time zone not null,
  constraint inbound_ids_pkey PRIMARY KEY (link, carrier_id, connection, slot)
) partition by LIST (slot);

create table inbound_ids_0 partition of inbound_ids FOR VALUES IN ('0');

create table inbound_ids_1 partition of inbound_ids FOR VALUES IN ('1');

create table inbound_ids_2 partition of inbound_ids FOR VALUES IN ('2');

create table inbound_ids_3 partition of inbound_ids FOR VALUES IN ('3');

create table inbound_message_parts (
  phone_number text collate "C" not null,
  peer text collate "C" not null,
  reference integer not null,
  sequence smallint not null,
  total smallint not null,
  body text not null,
  is_done boolean not null default false,
  received_at timestamp with time zone not null,
  constraint inbound_message_parts_pkey PRIMARY KEY (phone_number, peer, reference, sequence)
);
CREATE INDEX inbound_message_parts_age ON public.inbound_message_parts USING btree (received_at);

create view inbound_parts as
 SELECT phone_number AS number,
    peer,
    reference,
    sequence,
    total,
    body,
    is_done,
    received_at
   FROM inbound_message_parts;

create view inventory_numbers as
 SELECT phone_number AS number,
    area_code,
    location,
    monthly_price_micros,
    hosts
   FROM number_inventory;

create table invitations (
  id text collate "C" not null,
  secret_hash bytea not null,
  kind text not null,
  email text not null,
  user_id text collate "C",
  account_id text collate "C",
  invited_by text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  role text, -- A role in the account or, without an account, in the installation
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'recovery'::text])))
);
CREATE INDEX invitations_account ON public.invitations USING btree (account_id, id);
CREATE INDEX invitations_age ON public.invitations USING btree (expires_at);
CREATE INDEX invitations_email ON public.invitations USING btree (email);
CREATE UNIQUE INDEX invitations_secret ON public.invitations USING btree (secret_hash);

create table lanes (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  route text not null,
  window_slots jsonb not null default '{}'::jsonb,
  held_from timestamp with time zone,
  next_due_at timestamp with time zone,
  holds jsonb not null default '[]'::jsonb,
  constraint lanes_pkey PRIMARY KEY (account_id, campaign_id, route)
);
CREATE INDEX lanes_due ON public.lanes USING btree (next_due_at) WHERE (next_due_at IS NOT NULL);

create view learned_networks as
 SELECT phone_number AS number,
    network,
    link,
    seen_at,
    is_landline
   FROM number_lookup_cache;

create view ledger_balances as
 SELECT a.account_id,
    l.ledger,
    l.balance_micros
   FROM (account_ledgers a
     CROSS JOIN LATERAL ( VALUES ('wallet'::text,a.wallet_micros), ('funding'::text,a.funding_micros), ('fees'::text,a.fees_micros), ('numbers'::text,a.numbers_micros), ('messages'::text,a.messages_micros)) l(ledger, balance_micros));

create table ledger_closings (
  account_id text collate "C" not null,
  floor_id text collate "C" not null,
  wallet_micros bigint not null,
  spent_micros bigint not null,
  constraint ledger_closings_pkey PRIMARY KEY (account_id, floor_id)
);

create table ledger_days (
  account_id text collate "C" not null,
  day date not null,
  reason text not null,
  campaign_id text collate "C" not null,
  entries bigint not null,
  amount_micros bigint not null,
  constraint ledger_days_pkey PRIMARY KEY (account_id, day, reason, campaign_id)
);

create view ledger_entries as
 SELECT t.account_id,
    COALESCE(('trf'::text || substr(m.id, 4)), t.id) AS id,
    t.id AS transfer_id,
    t.reason,
    COALESCE(m.id, t.reference) AS reference,
    t.from_ledger,
    t.to_ledger,
    COALESCE(m.micros, t.amount_micros) AS amount_micros,
    t.campaign_id,
    t.created_at
   FROM (ledger_transfers t
     LEFT JOIN LATERAL UNNEST(t.message_ids, t.message_micros) m(id, micros) ON (true));

create table ledger_notes (
  account_id text collate "C" not null,
  transfer_id text collate "C" not null,
  note text not null,
  constraint ledger_notes_pkey PRIMARY KEY (account_id, transfer_id)
);

create table ledger_transfers (
  account_id text collate "C" not null,
  id text collate "C" not null,
  reason text not null,
  reference text collate "C" not null,
  from_ledger text not null,
  to_ledger text not null,
  amount_micros bigint not null,
  campaign_id text collate "C",
  created_at timestamp with time zone not null,
  entries integer not null default 1,
  message_ids text[] collate "C" storage external,
  message_micros bigint[] storage external,
  constraint ledger_transfers_pkey PRIMARY KEY (account_id, id),
  constraint ledger_transfers_amount_micros_check CHECK ((amount_micros > 0))
);
CREATE INDEX ledger_transfers_rare ON public.ledger_transfers USING btree (account_id, id) WHERE (reason <> ALL (ARRAY['message'::text, 'message_refund'::text]));
CREATE INDEX ledger_transfers_refunds ON public.ledger_transfers USING btree (account_id, id) WHERE (reason = 'message_refund'::text);
CREATE UNIQUE INDEX ledger_transfers_reference ON public.ledger_transfers USING btree (account_id, reference) WHERE (reason <> 'message'::text);

create table link_evidence (
  link text collate "C" not null,
  hour timestamp with time zone not null,
  sent bigint not null default 0,
  receipted bigint not null default 0,
  unknown bigint not null default 0,
  matched bigint not null default 0,
  resent bigint not null default 0,
  refunded bigint not null default 0,
  recharged bigint not null default 0,
  forgiven bigint not null default 0,
  constraint link_evidence_pkey PRIMARY KEY (link, hour)
);

create table link_outages (
  dispatcher text collate "C" not null,
  carrier text not null,
  down_since timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  constraint link_outages_pkey PRIMARY KEY (dispatcher)
);

create table link_pauses (
  link text collate "C" not null,
  paused_at timestamp with time zone not null,
  paused_by text not null,
  reason text not null,
  code text,
  probe_at timestamp with time zone,
  probes integer not null default 0,
  constraint link_pauses_pkey PRIMARY KEY (link)
);

create table link_shares (
  link text collate "C" not null,
  process text collate "C" not null,
  per_second integer not null,
  per_second_before integer not null,
  wanted integer not null,
  renewals bigint not null,
  seen_at timestamp with time zone not null,
  constraint link_shares_pkey PRIMARY KEY (link, process)
);

create view lost_links as
 SELECT dispatcher,
    carrier,
    down_since,
    seen_at
   FROM link_outages;

create table low_balance_alerts (
  account_id text collate "C" not null,
  raised_at timestamp with time zone not null,
  constraint low_balance_alerts_pkey PRIMARY KEY (account_id)
);

create table media (
  id text collate "C" not null,
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  content_type text not null,
  content bytea not null,
  created_at timestamp with time zone not null,
  hash text collate "C",
  constraint media_pkey PRIMARY KEY (id)
);
CREATE INDEX media_hash ON public.media USING btree (account_id, hash) WHERE (hash IS NOT NULL);
CREATE INDEX media_message ON public.media USING btree (account_id, message_id);

create table media_fetches (
  id text collate "C" not null,
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  link text not null,
  url text not null,
  attempts smallint not null default 0,
  due_at timestamp with time zone not null,
  constraint media_fetches_pkey PRIMARY KEY (id)
);
CREATE INDEX media_fetches_due ON public.media_fetches USING btree (due_at);
CREATE INDEX media_fetches_message ON public.media_fetches USING btree (account_id, message_id);

create table media_files (
  account_id text collate "C" not null,
  hash text collate "C" not null,
  bytes_max integer not null default 0,
  content_type text not null,
  content bytea storage external not null,
  used_at timestamp with time zone not null,
  look_at timestamp with time zone not null,
  uploaded_until timestamp with time zone,
  constraint media_files_pkey PRIMARY KEY (account_id, hash, bytes_max)
);
CREATE INDEX media_files_look ON public.media_files USING btree (look_at);
CREATE INDEX media_files_uploads ON public.media_files USING btree (account_id, uploaded_until) WHERE (uploaded_until IS NOT NULL);

create view media_key as
 SELECT only_row,
    bytes AS octets
   FROM media_secret;

create table media_secret (
  only_row boolean not null default true,
  bytes bytea not null,
  constraint media_secret_pkey PRIMARY KEY (only_row),
  constraint media_secret_only_row_check CHECK (only_row)
);

create table media_totals (
  account_id text collate "C" not null,
  slot smallint not null,
  files bigint not null,
  bytes bigint not null,
  counted_at timestamp with time zone, -- Of slot 0: when the totals were last compared with the files
  constraint media_totals_pkey PRIMARY KEY (account_id, slot)
);

create table memberships (
  user_id text collate "C" not null,
  account_id text collate "C" not null,
  role text not null,
  created_at timestamp with time zone not null,
  source text not null, -- oidc: follows the groups of the identity provider at every sign-in
  constraint memberships_pkey PRIMARY KEY (user_id, account_id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'developer'::text, 'agent'::text, 'billing'::text, 'read-only'::text]))),
  constraint memberships_source_check CHECK ((source = ANY (ARRAY['invitation'::text, 'oidc'::text])))
);
CREATE INDEX memberships_account ON public.memberships USING btree (account_id, user_id);

create table message_export_parts (
  account_id text collate "C" not null,
  export_id text collate "C" not null,
  part integer not null,
  content bytea not null, -- Complete CSV lines, compressed with gzip. The first part begins with the header line
  constraint message_export_parts_pkey PRIMARY KEY (account_id, export_id, part)
);

create table message_exports (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  status text not null,
  row_count integer not null,
  part_count integer not null,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  filter jsonb not null, -- As in the request, with the time of the request as the end
  byte_count bigint not null, -- Of the CSV file, uncompressed
  position text collate "C", -- The last message ID read. The next part continues below it. Null: nothing is read yet
  is_truncated boolean not null, -- The file has the maximum number of rows, and more messages match
  due_at timestamp with time zone not null, -- When the next part is to be written; a claim moves it to the end of its lease
  created_by text collate "C", -- The token or the person. Null: from before this was recorded
  constraint message_exports_pkey PRIMARY KEY (account_id, id),
  constraint message_exports_status_check CHECK ((status = ANY (ARRAY['RUNNING'::text, 'DONE'::text, 'FAILED'::text])))
);
CREATE INDEX message_exports_due ON public.message_exports USING btree (due_at) WHERE (status = 'RUNNING'::text);
CREATE INDEX message_exports_expiry ON public.message_exports USING btree (expires_at);
CREATE UNIQUE INDEX message_exports_running ON public.message_exports USING btree (account_id) WHERE (status = 'RUNNING'::text);

create table messages (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  type text not null,
  direction text not null,
  number text collate "C" not null,
  peer text collate "C" not null,
  body text not null,
  media_urls jsonb not null default '[]'::jsonb,
  metadata jsonb not null default '{}'::jsonb,
  num_segments smallint not null,
  is_reply boolean not null default false,
  price_micros bigint not null,
  status text not null,
  error_code integer,
  error_message text,
  sequence smallint not null default 0,
  timeline text[] not null default '{}'::text[],
  scheduled_at timestamp with time zone,
  sent_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  validity_seconds smallint,
  is_refunded boolean not null default false,
  automatic text,
  route text not null, -- queue: the lane that it waits in, together with its campaign
  attempts smallint not null default 0, -- queue: attempts so far
  due_at timestamp with time zone, -- queue: when to attempt it next; a claim moves it to the end of its lease. Null: not in the queue
  expires_at timestamp with time zone, -- queue: when it expires if it is still waiting. Null: the default applies
  media_checked boolean not null default false, -- queue: its media URLs were checked
  counted_day text, -- queue: the Pacific day on which it last counted toward the T-Mobile cap
  settle_at timestamp with time zone, -- queue: when a submit without a response is settled; not sent again before. Null otherwise
  unknown_link text, -- queue: the link that the submit without a response used
  delivered_parts bigint, -- queue: of a long message: one bit for each part that is delivered
  media_files text[], -- queue: hashes of the files that are sent instead of media_urls. Null: media_urls are sent
  unproven_at timestamp with time zone, -- queue: since when its outcome is settled without proof; a late receipt may still match it
  constraint messages_pkey PRIMARY KEY (account_id, id),
  constraint messages_status_check CHECK ((status = ANY ('{CREATED,SCHEDULED,QUEUED,SENT,DELIVERED,READ,FAILED,EXPIRED}'::text[])))
) partition by RANGE (id);
CREATE INDEX messages_campaign ON public.messages USING btree (campaign_id, id);
CREATE INDEX messages_due ON public.messages USING btree (campaign_id, route, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX messages_due_replies ON public.messages USING btree (campaign_id, route, due_at) WHERE ((due_at IS NOT NULL) AND is_reply);
CREATE INDEX messages_expiring ON public.messages USING btree (campaign_id, route, expires_at) WHERE ((due_at IS NOT NULL) AND (expires_at IS NOT NULL));
CREATE INDEX messages_inbound ON public.messages USING btree (campaign_id, id) WHERE (direction = 'INBOUND'::text);
CREATE INDEX messages_inbound_number ON public.messages USING btree (campaign_id, number, id) WHERE (direction = 'INBOUND'::text);
CREATE INDEX messages_number ON public.messages USING btree (campaign_id, number, id);
CREATE INDEX messages_peer ON public.messages USING btree (campaign_id, peer, id);
CREATE INDEX messages_settle ON public.messages USING btree (settle_at) WHERE (settle_at IS NOT NULL);
CREATE INDEX messages_unproven ON public.messages USING btree (account_id, number, peer) WHERE ((settle_at IS NOT NULL) OR (unproven_at IS NOT NULL));

create table messages_first partition of messages FOR VALUES FROM (MINVALUE) TO (MAXVALUE) with (fillfactor=38);

create table migrations (
  name text not null,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table number_calls (
  account_id text collate "C" not null,
  phone_number text collate "C" not null,
  day date not null,
  redirected integer not null,
  refused integer not null,
  last_call_at timestamp with time zone not null,
  constraint number_calls_pkey PRIMARY KEY (account_id, phone_number, day)
);
CREATE INDEX number_calls_age ON public.number_calls USING btree (day);

create table number_inventory (
  phone_number text collate "C" not null,
  area_code text collate "C" not null,
  location text not null,
  monthly_price_micros bigint not null,
  hosts text[],
  constraint number_inventory_pkey PRIMARY KEY (phone_number)
);
CREATE INDEX number_inventory_area ON public.number_inventory USING btree (area_code, phone_number);
CREATE INDEX number_inventory_price ON public.number_inventory USING btree (monthly_price_micros);

create table number_lookup_cache (
  phone_number text not null,
  network text,
  link text not null,
  seen_at timestamp with time zone not null,
  is_landline boolean not null default false,
  constraint number_lookup_cache_pkey PRIMARY KEY (phone_number)
);
CREATE INDEX number_lookup_cache_age ON public.number_lookup_cache USING btree (seen_at);

create table numbers (
  phone_number text collate "C" not null,
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  is_default boolean not null default false,
  status text not null default 'ACTIVE'::text,
  forward_number text,
  location text not null,
  monthly_price_micros bigint not null,
  purchased_at timestamp with time zone not null,
  link text,
  status_reason text,
  refused_at timestamp with time zone,
  refused_by text,
  refused_as text,
  refused_until timestamp with time zone,
  hosts text[],
  forwarding_stopped_at timestamp with time zone,
  constraint numbers_pkey PRIMARY KEY (phone_number),
  constraint numbers_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'PENDING'::text, 'FAILED'::text])))
);
CREATE INDEX numbers_account ON public.numbers USING btree (account_id, purchased_at, phone_number);
CREATE INDEX numbers_campaign ON public.numbers USING btree (account_id, campaign_id, purchased_at);
CREATE INDEX numbers_refused ON public.numbers USING btree (refused_at) WHERE (refused_at IS NOT NULL);
CREATE UNIQUE INDEX numbers_default ON public.numbers USING btree (account_id, campaign_id) WHERE is_default;

create table open_counts (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  route text not null,
  status text not null,
  count bigint not null,
  constraint open_counts_pkey PRIMARY KEY (account_id, campaign_id, route, status),
  constraint open_counts_status_check CHECK ((status = ANY (ARRAY['CREATED'::text, 'SCHEDULED'::text, 'QUEUED'::text, 'SENT'::text, 'DELIVERED'::text, 'READ'::text, 'FAILED'::text, 'EXPIRED'::text])))
);

create table operator_tokens (
  token_hash bytea not null,
  id text collate "C" not null,
  name text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint operator_tokens_pkey PRIMARY KEY (token_hash)
);
CREATE INDEX operator_tokens_id ON public.operator_tokens USING btree (id DESC);

create table optout_changes (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient text collate "C" not null,
  change text not null,
  source text not null,
  reason text,
  token_id text collate "C",
  created_at timestamp with time zone not null,
  constraint optout_changes_pkey PRIMARY KEY (account_id, id),
  constraint optout_changes_change_check CHECK ((change = ANY (ARRAY['opted_out'::text, 'opted_in'::text])))
);
CREATE INDEX optout_changes_recipient ON public.optout_changes USING btree (account_id, campaign_id, recipient, id DESC);

create table optouts (
  account_id text collate "C" not null,
  campaign_id text collate "C" not null,
  recipient text collate "C" not null,
  number text,
  keyword text,
  message_id text collate "C",
  reason text,
  opted_out_at timestamp with time zone not null,
  constraint optouts_pkey PRIMARY KEY (account_id, campaign_id, recipient)
);

create table passkeys (
  user_id text collate "C" not null,
  credential_id text collate "C" not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (user_id, credential_id)
);
CREATE UNIQUE INDEX passkeys_credential ON public.passkeys USING btree (credential_id);

create table prices (
  account_id text collate "C" not null,
  kind text collate "C" not null,
  effective_at timestamp with time zone not null,
  amount_micros bigint,
  constraint prices_pkey PRIMARY KEY (account_id, kind, effective_at),
  constraint prices_amount_micros_check CHECK ((amount_micros >= 0))
);

create table record_retention (
  only_row boolean not null default true,
  days integer,
  applies_from timestamp with time zone not null,
  constraint record_retention_pkey PRIMARY KEY (only_row),
  constraint record_retention_only_row_check CHECK (only_row)
);
-- has the row {"days": 396, "only_row": true, "applies_from": "1970-01-01T00:00:00+00:00"}

create table registrations (
  account_id text collate "C" not null,
  record_id text collate "C" not null,
  kind text not null,
  link text collate "C" not null,
  state text not null,
  since timestamp with time zone not null,
  reference text collate "C" not null,
  provider_id text,
  posted_at timestamp with time zone,
  said text,
  attempts integer not null default 0,
  failing_since timestamp with time zone,
  last_error text,
  due_at timestamp with time zone,
  networks text,
  alive_until timestamp with time zone,
  constraint registrations_pkey PRIMARY KEY (account_id, record_id),
  constraint registrations_kind_check CHECK ((kind = ANY (ARRAY['brand'::text, 'campaign'::text]))),
  constraint registrations_state_check CHECK ((state = ANY (ARRAY['submit'::text, 'review'::text, 'registered'::text, 'suspended'::text, 'returned'::text, 'end'::text])))
);
CREATE INDEX registrations_alive ON public.registrations USING btree (alive_until) WHERE (alive_until IS NOT NULL);
CREATE INDEX registrations_due ON public.registrations USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX registrations_failing ON public.registrations USING btree (failing_since) WHERE (failing_since IS NOT NULL);
CREATE INDEX registrations_networks ON public.registrations USING btree (since) WHERE (networks IS NOT NULL);

create table rented_numbers (
  account_id text collate "C" not null,
  id text collate "C" not null,
  phone_number text collate "C" not null,
  campaign_id text collate "C" not null,
  link text collate "C" not null,
  phase text not null,
  since timestamp with time zone not null,
  charged_micros bigint not null,
  purchased_at timestamp with time zone not null,
  ordered_at timestamp with time zone,
  number_id text,
  is_forwarding_due boolean not null default false,
  attempts integer not null default 0,
  last_error text,
  due_at timestamp with time zone,
  alive_until timestamp with time zone,
  constraint rented_numbers_pkey PRIMARY KEY (account_id, id),
  constraint rented_numbers_phase_check CHECK ((phase = ANY (ARRAY['order'::text, 'bind'::text, 'held'::text, 'move'::text, 'release'::text])))
);
CREATE INDEX rented_numbers_alive ON public.rented_numbers USING btree (alive_until) WHERE (alive_until IS NOT NULL);
CREATE INDEX rented_numbers_due ON public.rented_numbers USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX rented_numbers_number ON public.rented_numbers USING btree (account_id, phone_number);

create table saved_replies (
  account_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  body text not null,
  updated_at timestamp with time zone not null,
  constraint saved_replies_pkey PRIMARY KEY (account_id, id)
);

create table service_clock (
  only_row boolean not null default true,
  offset_ms bigint not null default 0,
  constraint service_clock_pkey PRIMARY KEY (only_row),
  constraint service_clock_only_row_check CHECK (only_row)
);
-- has the row {"only_row": true, "offset_ms": 0}

create table sign_in_limits (
  key bytea not null,
  failures integer not null,
  resets_at timestamp with time zone not null,
  constraint sign_in_limits_pkey PRIMARY KEY (key)
);
CREATE INDEX sign_in_limits_age ON public.sign_in_limits USING btree (resets_at);

create table sign_in_steps (
  secret_hash bytea not null,
  kind text not null,
  user_id text collate "C",
  data jsonb not null,
  expires_at timestamp with time zone not null,
  constraint sign_in_steps_pkey PRIMARY KEY (secret_hash),
  constraint sign_in_steps_kind_check CHECK ((kind = ANY (ARRAY['second_factor'::text, 'passkey'::text, 'new_passkey'::text, 'oidc'::text])))
);
CREATE INDEX sign_in_steps_age ON public.sign_in_steps USING btree (expires_at);
CREATE INDEX sign_in_steps_user ON public.sign_in_steps USING btree (user_id);

create table smpp_binds (
  account_id text collate "C" not null,
  id text collate "C" not null,
  token_id text collate "C" not null,
  bound_as text not null,
  peer text not null,
  bound_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  constraint smpp_binds_pkey PRIMARY KEY (account_id, id)
);
CREATE INDEX smpp_binds_age ON public.smpp_binds USING btree (seen_at);

create table smpp_parts (
  account_id text collate "C" not null,
  token_id text collate "C" not null,
  sender text collate "C" not null,
  peer text collate "C" not null,
  reference integer not null,
  sequence smallint not null,
  total smallint not null,
  set_id text collate "C" not null,
  body text not null,
  receipt smallint not null,
  bind_id text collate "C" not null,
  message_id text collate "C",
  received_at timestamp with time zone not null,
  constraint smpp_parts_pkey PRIMARY KEY (account_id, token_id, sender, peer, reference, sequence)
);
CREATE INDEX smpp_parts_age ON public.smpp_parts USING btree (received_at);
CREATE INDEX smpp_parts_set ON public.smpp_parts USING btree (account_id, set_id);

create table smpp_systems (
  system_id text collate "C" not null,
  account_id text collate "C" not null,
  token_id text collate "C" not null,
  password_salt bytea not null,
  password_hash bytea not null,
  campaign_id text collate "C",
  number text collate "C",
  created_at timestamp with time zone not null,
  allowed_addresses text[],
  constraint smpp_systems_pkey PRIMARY KEY (system_id)
);
CREATE INDEX smpp_systems_account ON public.smpp_systems USING btree (account_id, token_id);

create table stored_counts (
  account_id text collate "C" not null,
  day date not null,
  added bigint not null,
  removed bigint not null,
  constraint stored_counts_pkey PRIMARY KEY (account_id, day)
);

create view stray_receipts as
 SELECT id,
    carrier,
    message_id,
    status,
    error_code,
    received_at,
    carrier_ids,
    carrier_code,
    check_at AS look_at,
    phone_number AS number,
    peer,
    submitted_at,
    done_at,
    body_start,
    reference,
    is_unconfirmed,
    is_opted_out
   FROM unmatched_receipts;

create table submits (
  account_id text collate "C" not null,
  id text collate "C" not null,
  message_ids text[] not null,
  due_ats timestamp with time zone[] not null,
  lease_until timestamp with time zone not null,
  link text,
  constraint submits_pkey PRIMARY KEY (account_id, id)
);
CREATE INDEX submits_lease ON public.submits USING btree (lease_until);

create table traces (
  account_id text collate "C" not null,
  subject_id text collate "C" not null,
  created_at timestamp with time zone not null,
  traceparent text not null, -- W3C trace context: the trace and the span that accepted the record
  constraint traces_pkey PRIMARY KEY (account_id, subject_id)
);
CREATE INDEX traces_created_at ON public.traces USING btree (created_at);

create table trunk_calls (
  trunk text collate "C" not null,
  day date not null,
  forwarded integer not null,
  constraint trunk_calls_pkey PRIMARY KEY (trunk, day)
);

create table twilio_credentials (
  account_id text collate "C" not null,
  created_at timestamp with time zone not null,
  token_id text collate "C" not null, -- The access token with the same text: it decides whether the credential is valid
  auth_token text not null, -- In clear, like the secrets of webhooks: it signs requests to the customer
  status_webhook_id text collate "C" not null, -- The webhook that delivers every StatusCallback of the account
  constraint twilio_credentials_pkey PRIMARY KEY (account_id)
);

create table unmatched_receipts (
  id text collate "C" not null,
  carrier text not null,
  message_id text collate "C" not null,
  status text not null,
  error_code integer,
  received_at timestamp with time zone not null,
  carrier_ids text[] not null default '{}'::text[],
  carrier_code text,
  check_at timestamp with time zone,
  phone_number text collate "C",
  peer text collate "C",
  submitted_at timestamp with time zone,
  done_at timestamp with time zone,
  body_start text,
  reference integer,
  is_unconfirmed boolean not null default false,
  is_opted_out boolean not null default false,
  constraint unmatched_receipts_pkey PRIMARY KEY (id),
  constraint unmatched_receipts_status_check CHECK ((status = ANY (ARRAY['SENT'::text, 'DELIVERED'::text, 'READ'::text, 'FAILED'::text])))
);
CREATE INDEX unmatched_receipts_age ON public.unmatched_receipts USING btree (received_at);
CREATE INDEX unmatched_receipts_check ON public.unmatched_receipts USING btree (check_at) WHERE (check_at IS NOT NULL);
CREATE INDEX unmatched_receipts_numbers ON public.unmatched_receipts USING btree (phone_number, peer) WHERE (check_at IS NOT NULL);

create table usage_changes (
  account_id text collate "C" not null,
  message_id text collate "C" not null,
  sequence smallint not null,
  start timestamp with time zone not null,
  campaign_id text collate "C" not null,
  carrier text not null,
  from_status text,
  from_step smallint not null,
  to_status text not null,
  to_error integer not null,
  to_step smallint not null,
  count bigint not null,
  refunded_micros bigint not null,
  direction text not null default 'OUTBOUND'::text,
  route text,
  segments bigint not null default 0,
  constraint usage_changes_pkey PRIMARY KEY (account_id, message_id, sequence)
);

create table usage_counts (
  account_id text collate "C" not null,
  unit text not null,
  start timestamp with time zone not null,
  campaign_id text collate "C" not null,
  carrier text not null,
  direction text not null,
  status text not null,
  error_code integer not null,
  step smallint not null,
  count bigint not null,
  constraint usage_counts_pkey PRIMARY KEY (account_id, unit, start, campaign_id, carrier, direction, status, error_code, step),
  constraint usage_counts_status_check CHECK ((status = ANY (ARRAY['CREATED'::text, 'SCHEDULED'::text, 'QUEUED'::text, 'SENT'::text, 'DELIVERED'::text, 'READ'::text, 'FAILED'::text, 'EXPIRED'::text]))),
  constraint usage_counts_unit_check CHECK ((unit = ANY (ARRAY['hour'::text, 'day'::text])))
);

create table usage_mark (
  only_row boolean not null default true,
  counted_from timestamp with time zone not null,
  totals_from timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  stored_from timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint usage_mark_pkey PRIMARY KEY (only_row),
  constraint usage_mark_only_row_check CHECK (only_row)
);
-- has the row {"only_row": true, "stored_from": "1970-01-01T00:00:00+00:00", "totals_from": "1970-01-01T00:00:00+00:00", "counted_from": "1970-01-01T00:00:00+00:00"}

create table usage_progress (
  account_id text collate "C" not null,
  begun_at timestamp with time zone not null,
  summed_until timestamp with time zone not null,
  is_open_counted boolean not null default false,
  has_totals boolean not null default false,
  has_stored boolean not null default false,
  constraint usage_progress_pkey PRIMARY KEY (account_id)
);

create table usage_sums (
  account_id text collate "C" not null,
  unit text not null,
  start timestamp with time zone not null,
  campaign_id text collate "C" not null,
  messages bigint not null,
  segments bigint not null,
  cost_micros bigint not null,
  constraint usage_sums_pkey PRIMARY KEY (account_id, unit, start, campaign_id),
  constraint usage_sums_unit_check CHECK ((unit = ANY (ARRAY['hour'::text, 'day'::text])))
);

create table usage_totals (
  account_id text collate "C" not null,
  unit text not null,
  start timestamp with time zone not null,
  campaign_id text collate "C" not null,
  carrier text not null,
  direction text not null,
  status text not null,
  error_code integer not null,
  count bigint not null,
  constraint usage_totals_pkey PRIMARY KEY (account_id, unit, start, campaign_id, carrier, direction, status, error_code),
  constraint usage_totals_status_check CHECK ((status = ANY (ARRAY['CREATED'::text, 'SCHEDULED'::text, 'QUEUED'::text, 'SENT'::text, 'DELIVERED'::text, 'READ'::text, 'FAILED'::text, 'EXPIRED'::text]))),
  constraint usage_totals_unit_check CHECK ((unit = ANY (ARRAY['hour'::text, 'day'::text])))
);

create table user_sessions (
  secret_hash bytea not null,
  id text collate "C" not null,
  user_id text collate "C" not null,
  address text not null,
  user_agent text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  account_id text collate "C", -- The account that the session shows; null: none
  is_strong boolean not null, -- Signed in with a second factor, a passkey, or an identity provider
  constraint user_sessions_pkey PRIMARY KEY (secret_hash)
);
CREATE INDEX user_sessions_age ON public.user_sessions USING btree (expires_at);
CREATE INDEX user_sessions_user ON public.user_sessions USING btree (user_id, id);

create table users (
  id text collate "C" not null,
  email text not null,
  name text not null,
  totp_confirmed_at timestamp with time zone,
  oidc_issuer text,
  oidc_subject text,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone,
  installation_role text, -- What the person may do for the whole installation; null: nothing
  password_hash text, -- argon2id; null if the person has no password
  totp_secret text, -- Base32; in clear, because codes are computed from it
  totp_step bigint not null default 0, -- The time step of the last accepted code: a code works once
  installation_role_source text, -- oidc: follows the groups of the identity provider at every sign-in; null: set by an operator
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_check CHECK ((email = lower(email))),
  constraint users_installation_role_check CHECK ((installation_role = ANY (ARRAY['operator'::text, 'reviewer'::text, 'support'::text, 'finance'::text])))
);
CREATE UNIQUE INDEX users_email ON public.users USING btree (email);
CREATE UNIQUE INDEX users_oidc ON public.users USING btree (oidc_issuer, oidc_subject) WHERE (oidc_subject IS NOT NULL);

create view voice_key as
 SELECT only_row,
    bytes AS octets
   FROM voice_secret;

create table voice_secret (
  only_row boolean not null default true,
  bytes bytea not null,
  constraint voice_secret_pkey PRIMARY KEY (only_row),
  constraint voice_secret_only_row_check CHECK (only_row)
);

create table webhook_attempts (
  account_id text collate "C" not null,
  delivery_id text collate "C" not null,
  attempt integer not null,
  at timestamp with time zone not null,
  request_body text,
  response_status smallint,
  duration_ms integer not null,
  response_body text,
  error text,
  request_head text,
  constraint webhook_attempts_pkey PRIMARY KEY (account_id, delivery_id, attempt)
) partition by RANGE (delivery_id);

create table webhook_attempts_first partition of webhook_attempts FOR VALUES FROM (MINVALUE) TO (MAXVALUE);

create table webhooks (
  account_id text collate "C" not null,
  id text collate "C" not null,
  campaign_id text collate "C" not null,
  name text,
  url text not null,
  signature text not null,
  secret text not null,
  former_secret text,
  former_secret_until timestamp with time zone,
  disabled_reason text,
  failing_since timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  format text not null default 'json'::text, -- json: our events. twilio: a form with X-Twilio-Signature
  constraint webhooks_pkey PRIMARY KEY (account_id, id)
);
CREATE INDEX webhooks_campaign ON public.webhooks USING btree (account_id, campaign_id, id DESC);
CREATE INDEX webhooks_id ON public.webhooks USING btree (id);
