// What a reviewer sees: both queues, and one record with the customer's changes since it was last returned. The previous
// version comes from the event of that time, which the audit log names. Nothing is stored twice, and no event search is
// needed.

import type { AccountId } from '../../accounts/account.js'
import { nameAccounts } from '../../accounts/account-queries.js'
import type { ActName } from '../../accounts/audit.js'
import { countActs, findPace, listAudit } from '../../accounts/audit-queries.js'
import type { ReviewNote } from '../../brands/brand.js'
import {
  countBrandsWaiting,
  listBrandsWaiting,
  type WaitingRecord,
} from '../../brands/brand-queries.js'
import { countCampaignsWaiting, listCampaignsWaiting } from '../../campaigns/campaign-queries.js'
import { listEventsAt } from '../../events/event-queries.js'
import { DAY_MS } from '../../kit/clock.js'
import type { Queryable } from '../../kit/postgres/db.js'

const DECISIONS: readonly ActName[] = [
  'brand.verify',
  'brand.refuse',
  'campaign.approve',
  'campaign.return',
]
/** Events of one type and one millisecond in one account: there are never more. */
const EVENTS_MAX = 100

/** The action that returns a record, and the event it creates. */
const KINDS = {
  brand: { act: 'brand.refuse', eventType: 'brand.changed' },
  campaign: { act: 'campaign.return', eventType: 'campaign.changed' },
} as const
type Kind = keyof typeof KINDS

export async function readReviewQueue(db: Queryable, limit: number, now: Date) {
  const brands = await listBrandsWaiting(db, limit)
  const campaigns = await listCampaignsWaiting(db, limit)
  const names = await nameAccounts(
    db,
    [...brands, ...campaigns].map(({ accountId }) => accountId),
  )
  const withTries = async <R extends WaitingRecord>(kind: Kind, records: readonly R[]) => {
    const ids = records.map(({ id }) => id)
    const returns = await countActs(db, KINDS[kind].act, ids)
    return records.map((record) => ({
      ...record,
      accountName: names.get(record.accountId) ?? '',
      submittedAt: record.submittedAt.toISOString(),
      tries: 1 + (returns.get(record.id) ?? 0),
    }))
  }
  const [ofBrands, ofCampaigns] = [await countBrandsWaiting(db), await countCampaignsWaiting(db)]
  return {
    brands: { ...wireWaiting(ofBrands), items: await withTries('brand', brands) },
    campaigns: { ...wireWaiting(ofCampaigns), items: await withTries('campaign', campaigns) },
    lastDay: await findPace(db, DECISIONS, new Date(now.getTime() - DAY_MS)),
  }
}

function wireWaiting({ waiting, oldestAt }: { waiting: number; oldestAt: Date | null }) {
  return { waiting, oldestAt: oldestAt?.toISOString() ?? null }
}

interface Reviewed {
  id: string
  accountId: AccountId
  submittedAt: Date | null
}

/** `fields` are those that can have a note; `wire` is the current record. */
export async function readReview(
  db: Queryable,
  kind: Kind,
  { id, accountId, submittedAt }: Reviewed,
  { wire, fields }: { wire: object; fields: readonly string[] },
) {
  const names = await nameAccounts(db, [accountId])
  const { act } = KINDS[kind]
  const returns = await countActs(db, act, [id])
  const filter = { accountId, act, subject: id, actor: null, since: null, until: null }
  const [last] = await listAudit(db, filter, { limit: 1, skip: 0, after: null })
  const previous = last ? await findPrevious(db, kind, { accountId, id, at: last.at }) : null
  return {
    accountName: names.get(accountId) ?? '',
    submittedAt: submittedAt?.toISOString() ?? null,
    tries: 1 + (returns.get(id) ?? 0),
    lastReturn: last
      ? {
          at: last.at.toISOString(),
          by: last.actor.name,
          notes: notesIn(last.after),
          changes: previous && changesBetween(previous, wire, fields),
        }
      : null,
  }
}

/** The record at that time. Null if its event was deleted. */
async function findPrevious(
  db: Queryable,
  kind: Kind,
  { accountId, id, at }: { accountId: AccountId; id: string; at: Date },
): Promise<object | null> {
  const { eventType } = KINDS[kind]
  const events = await listEventsAt(db, accountId, { eventType, at }, EVENTS_MAX)
  const records = events.map(({ data }) => data?.[kind] as { id: string } | undefined)
  return records.find((record) => record?.id === id) ?? null
}

function notesIn(after: object | null): ReviewNote[] {
  return (after as { reviewNotes?: ReviewNote[] } | null)?.reviewNotes ?? []
}

function changesBetween(before: object, after: object, fields: readonly string[]) {
  const [earlier, later] = [flatten(before), flatten(after)]
  return fields.flatMap((field) => {
    const change = {
      field,
      before: describeValue(earlier.get(field)),
      after: describeValue(later.get(field)),
    }
    return change.before === change.after ? [] : [change]
  })
}

/** Flattens groups such as `details` and `address`: a note names the field inside. */
function flatten(wire: object): Map<string, unknown> {
  const pairs = Object.entries(wire).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value as object)
      : [[name, value] as [string, unknown]],
  )
  return new Map(pairs)
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return Array.isArray(value) ? value.join(', ') : String(value)
}
