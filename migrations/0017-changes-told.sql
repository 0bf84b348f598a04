-- Changes of brands, campaigns and numbers are told to the webhooks that ask for them, and limits follow
-- the brand's score unless an operator has set them. See docs/decisions/0053.

-- A webhook belongs to a campaign, and hears of that campaign's brand: whose changes it wants to hear of;
-- null where it did not ask.
alter table event_subscriptions add column brand_id text collate "C";
create index event_subscriptions_brand on event_subscriptions (account_id, brand_id)
  where brand_id is not null;

alter table campaigns add column limits_set_by_operator boolean not null default false;
update campaigns c set limits_set_by_operator = true
where c.id in (select subject from audit_log where act = 'campaign.limits');
