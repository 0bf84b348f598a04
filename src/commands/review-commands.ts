// `longcode brand …` and `longcode campaign …`: the review queues and the operator's decisions.

import type { Command } from 'commander'
import type { Brand, ReviewNote } from '../brands/brand.js'
import type { BrandStatus } from '../brands/brand-state.js'
import type { BrandDecision } from '../brands/decide-brand.js'
import type { Campaign, CampaignLimits } from '../campaigns/campaign.js'
import type { CampaignStatus } from '../campaigns/campaign-state.js'
import type { CampaignDecision } from '../campaigns/review/decide-campaign.js'
import { action, collect, examples, groupOf, operate, readWhole } from './command.js'
import { addEndCommand } from './end-command.js'
import { UsageFailure } from './failure.js'
import type { Output } from './output.js'

const NOTE = ['--note <field=text>', 'what is wrong with a field (repeatable)'] as const
const REASON = ['--reason <text>', 'why, for the audit log'] as const

export function addReviewCommands(program: Command): void {
  addBrandCommands(groupOf(program, 'brand', 'your brands, and the review queue'))
  addCampaignCommands(
    groupOf(program, 'campaign', 'your campaigns, and the review queue and limits'),
  )
}

function addQueue(command: Command, list: Parameters<typeof action>[0]): void {
  command
    .command('queue')
    .description('list what waits for review in all accounts, oldest first (operator)')
    .option('--status <status>', 'another status', 'PENDING')
    .option('--account <id>', 'only this account')
    .option('--limit <count>', 'maximum number of rows', '100')
    .action(action(list))
}

function addBrandCommands(brand: Command): void {
  addQueue(brand, listBrands)
  brand
    .command('verify <id>')
    .description('verify a PENDING brand (operator)')
    .action(action((out, id: string) => recordBrandReview(out, id, { kind: 'verify' })))
  brand
    .command('refuse <id>')
    .description('refuse a PENDING brand, with reasons (operator)')
    .option(...NOTE, collect)
    .addHelpText('after', examples('brand refuse brd_01… --note ein="Another name in the records"'))
    .action(
      action(async (out, id: string, { note }) => {
        const { BRAND_FIELDS } = await import('../operator/reviews/review-operations.js')
        await recordBrandReview(out, id, { kind: 'refuse', notes: readNotes(note, BRAND_FIELDS) })
      }),
    )
  brand
    .command('vet <id> <score>')
    .description('give a VERIFIED brand its trust score, 0 to 100 (operator)')
    .addHelpText('after', examples('brand vet brd_01… 80'))
    .action(
      action((out, id: string, score: string) =>
        recordBrandReview(out, id, { kind: 'vet', trustScore: readWhole('the score', score, 0) }),
      ),
    )
}

function addCampaignCommands(campaign: Command): void {
  addQueue(campaign, listCampaigns)
  campaign
    .command('approve <id>')
    .description('approve a PENDING campaign (operator)')
    .action(action((out, id: string) => recordCampaignReview(out, id, { kind: 'approve' })))
  campaign
    .command('return <id>')
    .description('return a PENDING campaign, with notes (operator)')
    .option(...NOTE, collect)
    .addHelpText('after', examples('campaign return cmp_01… --note sample1="Name the brand"'))
    .action(
      action(async (out, id: string, { note }) => {
        const { CAMPAIGN_FIELDS } = await import('../operator/reviews/review-operations.js')
        await recordCampaignReview(out, id, {
          kind: 'return',
          notes: readNotes(note, CAMPAIGN_FIELDS),
        })
      }),
    )
  campaign
    .command('suspend <id>')
    .description('suspend an ACTIVE campaign (operator)')
    .requiredOption(...REASON)
    .action(
      action((out, id: string, { reason }) =>
        recordCampaignReview(out, id, { kind: 'suspend', reason: 'operator' }, reason),
      ),
    )
  campaign
    .command('resume <id>')
    .description('resume a SUSPENDED campaign (operator)')
    .requiredOption(...REASON)
    .action(
      action((out, id: string, { reason }) =>
        recordCampaignReview(out, id, { kind: 'resume' }, reason),
      ),
    )
  campaign
    .command('limits <id>')
    .description('set the carrier limits of an approved campaign, in segments (operator)')
    .option('--sms-att <count>', 'SMS per minute toward AT&T; `none` for no limit')
    .option('--mms-att <count>', 'MMS per minute toward AT&T; `none` for no limit')
    .option('--tmo-day <count>', 'per day toward T-Mobile; `none` for no limit')
    .option('--automatic', 'set the limits from the brand’s trust score again')
    .addHelpText('after', examples('campaign limits cmp_01… --sms-att 2400 --tmo-day none'))
    .action(action(setLimits))
  addEndCommand(campaign)
}

interface QueueOptions {
  status: string
  account?: string
  limit: string
}

async function listBrands(out: Output, options: QueueOptions): Promise<void> {
  const { listBrandQueue } = await import('../brands/brand-queries.js')
  const { BRAND_STATUSES } = await import('../brands/brand-state.js')
  const { wireBrand } = await import('../brands/brand-wire.js')
  const { queue, page } = readQueue<BrandStatus>(options, BRAND_STATUSES)
  const found = await operate(out, ({ world }) => listBrandQueue(world.db, queue, page))
  const brands = found.slice(0, page.limit)
  out.json(brands.map((brand) => ({ accountId: brand.accountId, ...wireBrand(brand) })))
  out.table(brands.map(brandRow), ['id', 'status', 'displayName', 'ein', 'submittedAt', 'account'])
}

async function listCampaigns(out: Output, options: QueueOptions): Promise<void> {
  const { listCampaignQueue } = await import('../campaigns/campaign-queries.js')
  const { CAMPAIGN_STATUSES } = await import('../campaigns/campaign-state.js')
  const { wireCampaign } = await import('../campaigns/campaign-wire.js')
  const { queue, page } = readQueue<CampaignStatus>(options, CAMPAIGN_STATUSES)
  const found = await operate(out, ({ world }) => listCampaignQueue(world.db, queue, page))
  const campaigns = found.slice(0, page.limit)
  out.json(campaigns.map((c) => ({ accountId: c.accountId, ...wireCampaign(c) })))
  const columns = ['id', 'status', 'displayName', 'usecase', 'brand', 'submittedAt', 'account']
  out.table(campaigns.map(campaignRow), columns)
}

function readQueue<Status extends string>(options: QueueOptions, statuses: readonly Status[]) {
  const status = statuses.find((candidate) => candidate === options.status)
  if (!status) throw new UsageFailure(`--status must be one of ${statuses.join(', ')}.`)
  return {
    queue: { status, accountId: options.account ?? null },
    page: { limit: readWhole('--limit', options.limit, 1), skip: 0, after: null },
  }
}

async function recordBrandReview(out: Output, id: string, decision: BrandDecision): Promise<void> {
  const review = await import('../operator/reviews/review.js')
  const { wireBrand } = await import('../brands/brand-wire.js')
  const brand = await operate(out, ({ act }) =>
    act((tx, actor, now) => review.recordBrandReview(tx, actor, id, decision, now)),
  )
  out.json({ accountId: brand.accountId, ...wireBrand(brand) })
  out.say(`${brand.id} is ${brand.status}.`)
}

async function recordCampaignReview(
  out: Output,
  id: string,
  decision: CampaignDecision,
  reason?: string,
): Promise<void> {
  const review = await import('../operator/reviews/review.js')
  await showCampaign(
    out,
    await operate(out, ({ act }) =>
      act((tx, actor, now) => review.recordCampaignReview(tx, actor, id, decision, now, reason)),
    ),
  )
}

async function setLimits(
  out: Output,
  id: string,
  options: { smsAtt?: string; mmsAtt?: string; tmoDay?: string; automatic?: true },
): Promise<void> {
  const review = await import('../operator/reviews/review.js')
  const limits: Partial<CampaignLimits> = {
    ...(options.smsAtt && { smsTpmAtt: readLimit('--sms-att', options.smsAtt) }),
    ...(options.mmsAtt && { mmsTpmAtt: readLimit('--mms-att', options.mmsAtt) }),
    ...(options.tmoDay && { dailyTmoCap: readLimit('--tmo-day', options.tmoDay) }),
  }
  const hasNoLimits = Object.keys(limits).length === 0
  if (hasNoLimits !== (options.automatic ?? false)) {
    throw new UsageFailure('Give at least one limit, or --automatic alone.')
  }
  await showCampaign(
    out,
    await operate(out, ({ act }) =>
      act((tx, actor, now) =>
        options.automatic
          ? review.followLimits(tx, actor, id, now)
          : review.setLimits(tx, actor, id, limits, now),
      ),
    ),
  )
}

async function showCampaign(out: Output, campaign: Campaign): Promise<void> {
  const { wireCampaign } = await import('../campaigns/campaign-wire.js')
  const { smsTpmAtt, mmsTpmAtt, dailyTmoCap } = campaign
  out.json({ accountId: campaign.accountId, ...wireCampaign(campaign) })
  out.say(`${campaign.id} is ${campaign.status}.`)
  const labels = [smsTpmAtt, mmsTpmAtt, dailyTmoCap].map((limit) => limit ?? 'none')
  if (campaign.approvedAt) {
    out.say(
      `Limits: ${labels[0]} SMS/min and ${labels[1]} MMS/min (AT&T), ${labels[2]} per day (T-Mobile).`,
    )
  }
}

function readLimit(name: string, text: string): number | null {
  return text === 'none' ? null : readWhole(name, text, 1)
}

function readNotes(texts: readonly string[] | undefined, fields: readonly string[]): ReviewNote[] {
  if (!texts) throw new UsageFailure('Give at least one --note field=text.')
  return texts.map((text) => {
    const match = /^(\w+)=(.*\S.*)$/s.exec(text)
    if (!match) throw new UsageFailure(`--note must be field=text, not "${text}".`)
    if (!fields.includes(match[1]!)) {
      throw new UsageFailure(`There is no field ${match[1]}. Use one of ${fields.join(', ')}.`)
    }
    return { field: match[1]!, note: match[2]! }
  })
}

function brandRow(brand: Brand) {
  const { id, status, displayName, entityName, ein, submittedAt, accountId } = brand
  return {
    id,
    status,
    displayName: displayName ?? entityName,
    ein,
    submittedAt: submittedAt?.toISOString(),
    account: accountId,
  }
}

function campaignRow(campaign: Campaign) {
  const { id, status, displayName, usecase, brandId, submittedAt, accountId } = campaign
  return {
    id,
    status,
    displayName,
    usecase,
    brand: brandId,
    submittedAt: submittedAt?.toISOString(),
    account: accountId,
  }
}
