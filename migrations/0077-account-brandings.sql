-- What a reseller's customers see instead of our name and mark (docs/decisions/0125).

create table account_brandings (
  account_id text collate "C" not null primary key,
  name text,
  color text,
  support text,
  logo bytea,
  updated_at timestamptz not null
);

comment on table account_brandings is 'The name, color, logo, and support address that an account sees in the console';
comment on column account_brandings.name is 'Null: that of the installation';
comment on column account_brandings.color is '#rrggbb. Null: that of the installation';
comment on column account_brandings.support is 'An email address or an https URL. Null: that of the installation';
comment on column account_brandings.logo is 'A PNG, JPEG, or WebP image. Null: that of the installation';
