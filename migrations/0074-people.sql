-- People: users of the installation, their roles, how they sign in, and their sessions (docs/decisions/0123). Users belong to
-- the installation, not to an account, and are found by email or by a secret: lookup tables, not tenant data.

create table users (
  id text collate "C" primary key,
  email text not null check (email = lower(email)),
  name text not null,
  installation_role text check (installation_role in ('operator', 'reviewer', 'support', 'finance')),
  password_hash text,
  totp_secret text,
  totp_confirmed_at timestamptz,
  totp_step bigint not null default 0,
  oidc_issuer text,
  oidc_subject text,
  created_at timestamptz not null,
  last_seen_at timestamptz
);
create unique index users_email on users (email);
create unique index users_oidc on users (oidc_issuer, oidc_subject) where oidc_subject is not null;

create table memberships (
  user_id text collate "C" not null,
  account_id text collate "C" not null,
  role text not null
    check (role in ('owner', 'admin', 'developer', 'agent', 'billing', 'read-only')),
  source text not null check (source in ('invitation', 'oidc')),
  created_at timestamptz not null,
  primary key (user_id, account_id)
);
create index memberships_account on memberships (account_id, user_id);

create table passkeys (
  user_id text collate "C" not null,
  credential_id text collate "C" not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (user_id, credential_id)
);
create unique index passkeys_credential on passkeys (credential_id);

create table invitations (
  id text collate "C" primary key,
  secret_hash bytea not null,
  kind text not null check (kind in ('invitation', 'recovery')),
  email text not null,
  user_id text collate "C",
  account_id text collate "C",
  role text,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create unique index invitations_secret on invitations (secret_hash);
create index invitations_account on invitations (account_id, id);
create index invitations_age on invitations (expires_at);

create table user_sessions (
  secret_hash bytea primary key,
  id text collate "C" not null,
  user_id text collate "C" not null,
  account_id text collate "C",
  is_strong boolean not null,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz not null
);
create index user_sessions_user on user_sessions (user_id, id);
create index user_sessions_age on user_sessions (expires_at);

create table sign_in_steps (
  secret_hash bytea primary key,
  kind text not null check (kind in ('second_factor', 'passkey', 'new_passkey', 'oidc')),
  user_id text collate "C",
  data jsonb not null,
  expires_at timestamptz not null
);
create index sign_in_steps_age on sign_in_steps (expires_at);

create table sign_in_limits (
  key bytea primary key,
  failures integer not null,
  resets_at timestamptz not null
);
create index sign_in_limits_age on sign_in_limits (resets_at);

comment on table users is 'People who sign in to the console. One row per email address';
comment on column users.installation_role is 'What the person may do for the whole installation; null: nothing';
comment on column users.password_hash is 'argon2id; null if the person has no password';
comment on column users.totp_secret is 'Base32; in clear, because codes are computed from it';
comment on column users.totp_step is 'The time step of the last accepted code: a code works once';
comment on table memberships is 'Which user has which role in which account';
comment on column memberships.source is 'oidc: follows the groups of the identity provider at every sign-in';
comment on table passkeys is 'WebAuthn credentials';
comment on table invitations is 'One-time links that invite a person or let one sign in again';
comment on column invitations.role is 'A role in the account or, without an account, in the installation';
comment on table user_sessions is 'Console sessions of people';
comment on column user_sessions.account_id is 'The account that the session shows; null: none';
comment on column user_sessions.is_strong is 'Signed in with a second factor, a passkey, or an identity provider';
comment on table sign_in_steps is 'The server side of a sign-in that takes several steps; a row works once';
comment on table sign_in_limits is 'Failed sign-ins by email and by address, as hashes';
