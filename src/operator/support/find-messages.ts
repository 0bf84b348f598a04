// Support looks up messages of any account. Every look-up is in the audit log, under each account whose messages it
// returned, and those accounts can read it. Texts need a reason, or stay hidden, by setting.

import { getAccount } from '../../accounts/account-queries.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import { isId } from '../../kit/ids.js'
import type { Store } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import type { RoutePort } from '../../messages/carrier-port.js'
import { getTimeline } from '../../messages/get-timeline.js'
import type { Message } from '../../messages/message.js'
import { findTimeline } from '../../messages/message-queries.js'
import {
  findMessageOfAnyone,
  listAccountMessages,
  listNumberMessages,
  listPhoneOfAnyone,
  rangeOf,
} from '../../messages/reads/lookup-queries.js'
import { type Handover, readHandovers, type TimelineEntry } from '../../messages/timeline.js'
import { findNumber } from '../../numbers/number-queries.js'

type Looking = Pick<World, 'db' | 'clock' | 'config'>

export interface Lookup {
  id: string | null
  /** E.164 */
  phone: string | null
  accountId: string | null
  since: Date | null
  until: Date | null
  reason: string | null
  limit: number
  /** The last ID of the previous page. */
  after: string | null
}

export interface FoundMessage {
  message: Message
  /** False: the text is hidden. */
  hasText: boolean
}

const DAY_MS = 86_400_000
const DAYS_USUAL = 7
const DAYS_MAX = 31

/** Newest first, one more than the limit. */
export async function findMessages(
  world: Looking,
  actor: Actor,
  lookup: Lookup,
): Promise<{ found: FoundMessage[]; hasMore: boolean }> {
  const rows = await search(world, lookup)
  const messages = rows.slice(0, lookup.limit)
  const hasText = mayRead(world, lookup.reason)
  await recordLookup(world, actor, lookup, messages)
  return {
    found: messages.map((message) => ({ message, hasText })),
    hasMore: rows.length > lookup.limit,
  }
}

async function search(world: Looking, lookup: Lookup): Promise<Message[]> {
  const { db } = world
  const { id, phone, accountId, limit } = lookup
  if (id !== null) {
    const found = isId('msg', id) ? await findMessageOfAnyone(db, id) : null
    return found && (accountId === null || found.accountId === accountId) ? [found] : []
  }
  const range = rangeOfLookup(world, lookup)
  if (phone !== null) {
    return searchPhone(db, { peer: phone, accountId }, range, limit + 1)
  }
  if (accountId === null) throw new Refusal('field_invalid', WHAT_TO_FIND)
  const account = await getAccount(db, accountId)
  return listAccountMessages(db, account.accountId, range, { limit: limit + 1 })
}

const WHAT_TO_FIND = 'Give the id of a message, a number, or an account'

/** The phone of a recipient, one of our numbers, or both: two accounts can text each other. */
async function searchPhone(
  db: Store,
  { peer, accountId }: { peer: string; accountId: string | null },
  range: ReturnType<typeof rangeOf>,
  limit: number,
): Promise<Message[]> {
  const number = await findNumber(db, peer)
  const ours = accountId === null || number?.accountId === accountId ? number : null
  const [asPeer, asNumber] = await Promise.all([
    listPhoneOfAnyone(db, { peer, accountId }, range, limit),
    ours ? listNumberMessages(db, ours, range, limit) : [],
  ])
  const all = new Map([...asPeer, ...asNumber].map((message) => [message.id, message]))
  return [...all.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
}

/** The last seven days, unless a range is given. */
function rangeOfLookup({ clock }: Looking, { since, until, after }: Lookup) {
  const now = clock.now()
  // A message of this millisecond is included.
  const end = until ?? new Date((since ?? now).getTime() + (since ? DAYS_MAX * DAY_MS : 1_000))
  const start = since ?? new Date(end.getTime() - DAYS_USUAL * DAY_MS)
  if (end.getTime() - start.getTime() > DAYS_MAX * DAY_MS) {
    throw fieldRefusal('since', `must be at most ${DAYS_MAX} days before until`)
  }
  return rangeOf(start, end, after)
}

function mayRead({ config }: Looking, reason: string | null): boolean {
  return config.supportTexts === 'reason' && reason !== null
}

/** One entry for each account whose messages were seen, at most one page of them. */
async function recordLookup(
  world: Looking,
  actor: Actor,
  lookup: Lookup,
  messages: readonly Message[],
): Promise<void> {
  const { id, phone, accountId, since, until, reason } = lookup
  const counts = new Map<string | null, number>()
  for (const one of messages) counts.set(one.accountId, (counts.get(one.accountId) ?? 0) + 1)
  if (counts.size === 0) counts.set(accountId, 0)
  const now = world.clock.now()
  const range = { since: since?.toISOString() ?? null, until: until?.toISOString() ?? null }
  await world.db.transaction(async (tx) => {
    for (const [owner, count] of counts) {
      const after = { reason, messages: count, withText: mayRead(world, reason), ...range }
      const act = { act: 'message.lookup', accountId: owner, before: null, after } as const
      await recordAct(tx, actor, { ...act, subject: id ?? phone ?? accountId }, now)
    }
  })
}

export interface MessageFile extends FoundMessage {
  timeline: readonly TimelineEntry[]
  /** Which link took the message, and the carrier's IDs for it. */
  handovers: readonly Handover[]
}

export async function openMessage(
  world: Looking & { carrier: Pick<RoutePort, 'canSend' | 'linksFor'> },
  actor: Actor,
  id: string,
  reason: string | null,
): Promise<MessageFile> {
  if (!isId('msg', id)) throw new Refusal('message_missing')
  const lookup = { id, reason, phone: null, accountId: null, since: null, until: null }
  const { found } = await findMessages(world, actor, { ...lookup, limit: 1, after: null })
  const [one] = found
  if (!one) throw new Refusal('message_missing')
  const now = world.clock.now()
  const { entries } = await findTimeline(world.db, one.message.accountId, id, now)
  const timeline = await getTimeline(world, one.message, now)
  return { ...one, timeline, handovers: readHandovers(entries) }
}
