-- The Twilio-compatible API: an account's credential, and webhooks that receive Twilio's form (docs/decisions/0119).

create table twilio_credentials (
  account_id text collate "C" not null primary key,
  token_id text collate "C" not null,
  auth_token text not null,
  status_webhook_id text collate "C" not null,
  created_at timestamptz not null
);

alter table webhooks add column format text not null default 'json';

comment on table twilio_credentials is 'The AccountSid and AuthToken of an account for the Twilio-compatible API';
comment on column twilio_credentials.token_id is 'The access token with the same text: it decides whether the credential is valid';
comment on column twilio_credentials.auth_token is 'In clear, like the secrets of webhooks: it signs requests to the customer';
comment on column twilio_credentials.status_webhook_id is 'The webhook that delivers every StatusCallback of the account';
comment on column webhooks.format is 'json: our events. twilio: a form with X-Twilio-Signature';
