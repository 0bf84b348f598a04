// Every statement on the campaigns table.

import type { AccountId } from '../accounts/account.js'
import {
  BRAND_NAMES,
  longestFirst,
  type ReviewBacklog,
  type ReviewKey,
  VERIFIED_BRANDS,
  WAITING_SUMS,
  type WaitingRecord,
} from '../brands/brand-queries.js'
import type { BrandStatus } from '../brands/brand-state.js'
import { IN_REGISTRATION } from '../brands/registration-queries.js'
import type { ALL } from '../kit/contract/list-filter.js'
import { echo, Refusal } from '../kit/contract/refusal.js'
import type { Page } from '../kit/contract/schema.js'
import { isId } from '../kit/ids.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { acrossAccounts, NOTHING, pageAcross, piece, raw, sql } from '../kit/postgres/sql.js'
import type { Campaign } from './campaign.js'
import type { CampaignStatus } from './campaign-state.js'

const COLUMNS = raw(`account_id as "accountId", id, brand_id as "brandId", status,
  display_name as "displayName", usecase, sub_usecases as "subUsecases", description,
  consent_flow as "consentFlow", screenshot_url as "screenshotUrl", samples,
  optin_keywords as "optinKeywords", optout_keywords as "optoutKeywords",
  help_keywords as "helpKeywords", optin_message as "optinMessage",
  optout_message as "optoutMessage", help_message as "helpMessage",
  is_low_volume as "isLowVolume", hold_at_daily_cap as "holdAtDailyCap",
  acts_on_near_optout as "actsOnNearOptout", fee_paid as "isFeePaid", sms_tpm_att as "smsTpmAtt",
  mms_tpm_att as "mmsTpmAtt", daily_tmo_cap as "dailyTmoCap",
  limits_set_by_operator as "areLimitsSetByOperator",
  monthly_fee_micros as "monthlyFeeMicros", review_notes as "reviewNotes",
  suspended_for as "suspendedFor", submitted_at as "submittedAt", approved_at as "approvedAt",
  renewal_day as "renewalDay", period_start as "periodStart", renews_at as "renewsAt",
  grace_until as "graceUntil", ended_at as "endedAt", created_at as "createdAt", updated_at as "updatedAt"`)

/** For reads across accounts: see kit/postgres/sql.ts. */
const TYPES = {
  times: [
    ...['submittedAt', 'approvedAt', 'periodStart', 'renewsAt', 'graceUntil', 'endedAt'],
    ...['createdAt', 'updatedAt'],
  ],
  bigints: ['monthlyFeeMicros'],
}

export async function insertCampaign(tx: Transaction, c: Campaign): Promise<void> {
  await tx.query(sql`
    insert into campaigns (account_id, id, brand_id, status, display_name, usecase, sub_usecases,
      description, consent_flow, screenshot_url, samples, optin_keywords, optout_keywords,
      help_keywords, optin_message, optout_message, help_message, is_low_volume,
      hold_at_daily_cap, acts_on_near_optout, fee_paid, sms_tpm_att, mms_tpm_att, daily_tmo_cap,
      limits_set_by_operator, monthly_fee_micros, review_notes, suspended_for, submitted_at, approved_at, renewal_day,
      period_start, renews_at, grace_until, ended_at, created_at, updated_at)
    values (${c.accountId}, ${c.id}, ${c.brandId}, ${c.status}, ${c.displayName}, ${c.usecase},
      ${c.subUsecases}, ${c.description}, ${c.consentFlow}, ${c.screenshotUrl}, ${c.samples},
      ${c.optinKeywords}, ${c.optoutKeywords}, ${c.helpKeywords}, ${c.optinMessage},
      ${c.optoutMessage}, ${c.helpMessage}, ${c.isLowVolume}, ${c.holdAtDailyCap},
      ${c.actsOnNearOptout}, ${c.isFeePaid}, ${c.smsTpmAtt}, ${c.mmsTpmAtt}, ${c.dailyTmoCap},
      ${c.areLimitsSetByOperator}, ${c.monthlyFeeMicros}, ${JSON.stringify(c.reviewNotes)}, ${c.suspendedFor},
      ${c.submittedAt}, ${c.approvedAt}, ${c.renewalDay}, ${c.periodStart}, ${c.renewsAt},
      ${c.graceUntil}, ${c.endedAt}, ${c.createdAt}, ${c.updatedAt})`)
}

/** Writes the whole row. The caller holds its lock (`lockCampaign`). */
export async function updateCampaign(tx: Transaction, c: Campaign): Promise<void> {
  await tx.query(sql`
    update campaigns set brand_id = ${c.brandId}, status = ${c.status},
      display_name = ${c.displayName}, usecase = ${c.usecase}, sub_usecases = ${c.subUsecases},
      description = ${c.description}, consent_flow = ${c.consentFlow},
      screenshot_url = ${c.screenshotUrl}, samples = ${c.samples},
      optin_keywords = ${c.optinKeywords}, optout_keywords = ${c.optoutKeywords},
      help_keywords = ${c.helpKeywords}, optin_message = ${c.optinMessage},
      optout_message = ${c.optoutMessage}, help_message = ${c.helpMessage},
      is_low_volume = ${c.isLowVolume}, hold_at_daily_cap = ${c.holdAtDailyCap},
      acts_on_near_optout = ${c.actsOnNearOptout}, fee_paid = ${c.isFeePaid},
      sms_tpm_att = ${c.smsTpmAtt}, mms_tpm_att = ${c.mmsTpmAtt}, daily_tmo_cap = ${c.dailyTmoCap},
      limits_set_by_operator = ${c.areLimitsSetByOperator}, monthly_fee_micros = ${c.monthlyFeeMicros}, review_notes = ${JSON.stringify(c.reviewNotes)},
      suspended_for = ${c.suspendedFor}, submitted_at = ${c.submittedAt},
      approved_at = ${c.approvedAt}, renewal_day = ${c.renewalDay},
      period_start = ${c.periodStart}, renews_at = ${c.renewsAt}, grace_until = ${c.graceUntil},
      ended_at = ${c.endedAt}, updated_at = ${c.updatedAt}
    where account_id = ${c.accountId} and id = ${c.id}`)
}

export async function findCampaign(
  db: Queryable,
  accountId: AccountId,
  id: string,
): Promise<Campaign | null> {
  if (!isId('cmp', id)) return null
  const [campaign] = await db.query<Campaign>(sql`
    select ${COLUMNS} from campaigns where account_id = ${accountId} and id = ${id}`)
  return campaign ?? null
}

export async function getCampaign(
  db: Queryable,
  accountId: AccountId,
  id: string,
): Promise<Campaign> {
  const campaign = await findCampaign(db, accountId, id)
  if (!campaign) throw new Refusal('campaign_missing')
  return campaign
}

/** The campaign, locked until the transaction ends. Refuses if there is none. */
export async function lockCampaign(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<Campaign> {
  if (!isId('cmp', id)) throw new Refusal('campaign_missing')
  const [campaign] = await tx.query<Campaign>(sql`
    select ${COLUMNS} from campaigns where account_id = ${accountId} and id = ${id} for update`)
  if (!campaign) throw new Refusal('campaign_missing')
  return campaign
}

export interface CampaignFilter {
  /** Null: all except drafts. */
  status: CampaignStatus | typeof ALL | null
  /** An ID, or part of the name or the brand's name, ignoring case. */
  search: string | null
  brandId: string | null
  /** Null: every campaign of the account. */
  campaigns: readonly string[] | null
}

/** Refuses a campaign of another account. */
export async function checkCampaigns(
  db: Queryable,
  accountId: AccountId,
  campaigns: readonly string[],
): Promise<void> {
  const rows = await db.query<{ id: string }>(sql`
    select id from campaigns where account_id = ${accountId} and id = any (${campaigns}::text[])`)
  const missing = campaigns.find((campaign) => !rows.some(({ id }) => id === campaign))
  if (missing !== undefined) {
    throw new Refusal('campaign_missing', `Campaign not found: ${echo(missing, 100)}`)
  }
}

/** Newest first, one more than the page has. */
export async function listCampaigns(
  db: Queryable,
  accountId: AccountId,
  { status, search, brandId, campaigns }: CampaignFilter,
  page: Page,
): Promise<Campaign[]> {
  return db.query<Campaign>(sql`
    select ${COLUMNS} from campaigns
    where account_id = ${accountId}
      and (${campaigns}::text[] is null or id = any (${campaigns}::text[]))
      and (${brandId}::text is null or brand_id = ${brandId})
      and (status = ${status} or ${status}::text = 'ALL'
        or (${status}::text is null and status <> 'DRAFT'))
      and (${search}::text is null or id = ${search}
        or strpos(lower(display_name), lower(${search})) > 0
        or exists (select from ${BRAND_NAMES} b
          where b.account_id = ${accountId} and b.id = campaigns.brand_id
            and strpos(lower(b.name), lower(${search})) > 0))
      and (${page.after}::text is null or id < ${page.after})
    order by id desc limit ${page.limit + 1} offset ${page.skip}`)
}

/**
 * Campaigns that were submitted by then, still wait, are not decided by a provider, and have a verified
 * brand. Crosses accounts, so it only reads. The join is within one account.
 */
export async function listCampaignsToReview(
  db: Queryable,
  submittedBy: Date,
  limit: number,
): Promise<ReviewKey[]> {
  const statement = sql`
    select c.account_id as "accountId", c.id, c.submitted_at as "submittedAt"
    from campaigns c
    join ${VERIFIED_BRANDS} b on b.account_id = c.account_id and b.id = c.brand_id
    where c.status = 'PENDING' and c.submitted_at <= ${submittedBy}
      and not exists (select from ${IN_REGISTRATION} r
        where r.account_id = c.account_id and r.id = c.id)
    order by c.submitted_at limit ${limit}`
  return db.query<ReviewKey>(acrossAccounts(statement, { order: ['submittedAt'], limit }))
}

/** By ID alone, in any account: for operators. */
export async function getCampaignOfAnyone(db: Queryable, id: string): Promise<Campaign> {
  if (!isId('cmp', id)) throw new Refusal('campaign_missing')
  const statement = sql`select ${COLUMNS} from campaigns where id = ${id}`
  const across = acrossAccounts(statement, { ...TYPES, isOne: true })
  const [campaign] = await db.query<Campaign>(across)
  if (!campaign) throw new Refusal('campaign_missing')
  return campaign
}

/** The operator's queue, like that of brands. */
export async function listCampaignQueue(
  db: Queryable,
  { status, accountId }: { status: CampaignStatus | null; accountId: AccountId | null },
  page: Page,
): Promise<Campaign[]> {
  const statementOf = (limit: number, skip: number) => sql`
    select ${COLUMNS} from campaigns
    where (${status}::text is null or status = ${status})
      ${accountId === null ? NOTHING : piece`and account_id = ${accountId}`}
      and (${page.after}::text is null or id > ${page.after})
    order by id limit ${limit} offset ${skip}`
  return db.query<Campaign>(
    accountId === null
      ? pageAcross(statementOf, page, { ...TYPES, order: ['id'] })
      : statementOf(page.limit + 1, page.skip),
  )
}

/** The approved campaigns of a brand whose limits follow its score, locked in one order. */
export async function lockFollowers(
  tx: Transaction,
  accountId: AccountId,
  brandId: string,
): Promise<Campaign[]> {
  return tx.query<Campaign>(sql`
    select ${COLUMNS} from campaigns
    where account_id = ${accountId} and brand_id = ${brandId} and approved_at is not null
      and not limits_set_by_operator and status <> 'ENDED'
    order by id for update`)
}

/** All campaigns of a brand, in any state. */
export async function listCampaignIdsOf(
  db: Queryable,
  accountId: AccountId,
  brandId: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from campaigns where account_id = ${accountId} and brand_id = ${brandId}`)
  return rows.map(({ id }) => id)
}

/** Only the limits, for several campaigns. The caller holds their locks. */
export async function updateLimits(
  tx: Transaction,
  accountId: AccountId,
  campaigns: readonly Campaign[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update campaigns c set sms_tpm_att = l.sms, mms_tpm_att = l.mms, daily_tmo_cap = l.tmo,
      updated_at = ${now}
    from unnest(${campaigns.map((c) => c.id)}::text[], ${campaigns.map((c) => c.smsTpmAtt)}::int[],
      ${campaigns.map((c) => c.mmsTpmAtt)}::int[], ${campaigns.map((c) => c.dailyTmoCap)}::int[])
      as l (id, sms, mms, tmo)
    where c.account_id = ${accountId} and c.id = l.id`)
}

/** Returned campaigns that were not resubmitted, most recently returned first. */
export async function listReturned(
  db: Queryable,
  accountId: AccountId,
  limit: number,
): Promise<Campaign[]> {
  return db.query<Campaign>(sql`
    select ${COLUMNS} from campaigns
    where account_id = ${accountId} and status = 'DRAFT' and review_notes <> '[]'
    order by updated_at desc, id desc limit ${limit}`)
}

/** The names of campaigns, for lists that have only IDs. */
export async function nameCampaigns(
  db: Queryable,
  accountId: AccountId,
  campaignIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(sql`
    select id, display_name as name from campaigns
    where account_id = ${accountId} and id = any (${campaignIds}::text[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** A plain read across accounts. */
export async function countCampaignsWaiting(db: Queryable): Promise<ReviewBacklog> {
  const statement = sql`
    select count(*)::int as waiting, min(submitted_at) as "oldestAt"
    from campaigns where status = 'PENDING'`
  const [row] = await db.query<ReviewBacklog>(acrossAccounts(statement, WAITING_SUMS))
  return row!
}

export interface WaitingCampaign extends WaitingRecord {
  usecase: string
  brandId: string
  brandName: string
  /** It cannot be decided before its brand is. */
  brandStatus: BrandStatus
}

/** Longest waiting first. Crosses accounts, so it only reads. The join is within one account. */
export async function listCampaignsWaiting(
  db: Queryable,
  limit: number,
): Promise<WaitingCampaign[]> {
  const statement = sql`
    select c.account_id as "accountId", c.id, c.display_name as name,
      c.submitted_at as "submittedAt", coalesce(c.usecase, '') as usecase,
      c.brand_id as "brandId", b.name as "brandName", b.status as "brandStatus"
    from campaigns c
    join ${BRAND_NAMES} b on b.account_id = c.account_id and b.id = c.brand_id
    where c.status = 'PENDING' order by c.submitted_at, c.id limit ${limit}`
  return db.query<WaitingCampaign>(acrossAccounts(statement, longestFirst(limit)))
}
