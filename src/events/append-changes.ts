// Changes of brands, campaigns and numbers, appended in the transaction that makes them. The event holds
// the record as the change left it: what is sent later must not be what the record is by then.

import type { AccountId } from '../accounts/account.js'
import { newId } from '../kit/ids.js'
import type { Transaction } from '../kit/postgres/db.js'
import { relation } from '../kit/postgres/pieces.js'
import { nameOf } from '../kit/postgres/sql.js'
import { appendPieces } from './append-events.js'
import type { ChangeType } from './event.js'

export interface Change {
  eventType: ChangeType
  /** Null for a brand: its changes go to the webhooks of all its campaigns. */
  campaignId: string | null
  brandId: string | null
  number: string | null
  data: object
}

const SOURCE = `
  source as (
    select e.*, null::text as message_id, null::smallint as sequence, null::text as status,
      null::text as previous_status, null::integer as error_code, null::text as error_message
    from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[])
      as e (id, event_type, campaign_id, brand_id, number, data)
  )`

// What is about no number is not narrowed by a webhook's numbers.
const OF_CAMPAIGN = `s.campaign_id = e.campaign_id
        and (e.number is null or s.numbers is null or e.number = any (s.numbers))`
const OF_BRAND = 's.brand_id = e.brand_id'

const APPEND_OF_CAMPAIGN = `with ${SOURCE}, ${appendPieces(relation('source'), OF_CAMPAIGN)} select 1`
const APPEND_OF_BRAND = `with ${SOURCE}, ${appendPieces(relation('source'), OF_BRAND)} select 1`

/** In the order in which they are given. All of brands, or none. */
export async function appendChanges(
  tx: Transaction,
  accountId: AccountId,
  changes: readonly Change[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return
  const text = changes[0]!.brandId === null ? APPEND_OF_CAMPAIGN : APPEND_OF_BRAND
  await tx.query({
    name: nameOf(text),
    text,
    values: [
      accountId,
      now,
      changes.map(() => newId('evt', now)),
      changes.map((change) => change.eventType),
      changes.map((change) => change.campaignId),
      changes.map((change) => change.brandId),
      changes.map((change) => change.number),
      changes.map((change) => JSON.stringify(change.data)),
    ],
  })
}

/** The fields in which two wire forms of a record differ; that it was changed at all is not one. */
function changedFields(before: object, after: object): string[] {
  const former = new Map(Object.entries(before))
  const latter = new Map(Object.entries(after))
  const names = new Set([...former.keys(), ...latter.keys()])
  return [...names].filter(
    (name) =>
      name !== 'updatedAt' && JSON.stringify(former.get(name)) !== JSON.stringify(latter.get(name)),
  )
}

/** What stands beside the record in its event. Null where nothing has changed: there is no event. */
export function differenceOf<Wire extends { status: string }>(
  before: Wire | null,
  after: Wire,
): { previousStatus?: string; changed: string[] } | null {
  if (before === null) return { changed: [] }
  const changed = changedFields(before, after)
  if (changed.length === 0) return null
  return { ...(before.status !== after.status && { previousStatus: before.status }), changed }
}
