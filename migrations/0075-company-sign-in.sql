-- Roles for the installation that follow the groups of an identity provider (docs/decisions/0124).

alter table users add column installation_role_source text;

comment on column users.installation_role_source is 'oidc: follows the groups of the identity provider at every sign-in; null: set by an operator';
