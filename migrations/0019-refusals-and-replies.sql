-- Refusals in other words are opt-outs unless the campaign switches that off, and automatic replies say
-- what they answer. See docs/decisions/0054.

-- Nobody could tell a campaign that left the former default from one that chose it; the law's default holds.
alter table campaigns alter column acts_on_near_optout set default true;
update campaigns set acts_on_near_optout = true where not acts_on_near_optout;

-- STOP, START or HELP on a reply (is_reply) to such a keyword; null on all others.
alter table messages add column automatic text;
