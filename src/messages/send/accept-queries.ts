// Accepts messages in the database: one statement per account and batch, defined in accept-statement-queries.ts. If
// the balance is too low, the wallet's constraint refuses all of it.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { plainArray, quoted, textArray } from '../../kit/postgres/pg-array.js'
import { composed, valuesOf } from '../../kit/postgres/pieces.js'
import { sql } from '../../kit/postgres/sql.js'
import type { RecordTrace } from '../../kit/tracing/tracing.js'
import type { KeywordName } from '../../text/keywords.js'
import type { Route } from '../lane.js'
import type { OutboundMessage } from '../message.js'
import { expiryOf } from '../validity.js'
import {
  type BatchKind,
  KEY_COLUMNS,
  MESSAGE_COLUMNS,
  MORE_COLUMNS,
  SHARED_COLUMNS,
  statementFor,
} from './accept-statement-queries.js'

/** A composed message. It has no ID yet, because the ID contains the time at which it is written. */
export interface NewMessage extends OutboundMessage {
  route: Route
  metadata: Readonly<Record<string, string>>
  numSegments: number
  priceMicros: bigint
  /** The keyword that it replies to automatically, so it is sent to opted-out recipients, too. Mostly null. */
  automatic: KeywordName | null
  scheduledAt: Date | null
  /** Validity. Null: the default. */
  validitySeconds: number | null
  path: DispatchPath
  once: IdempotencyKey | null
  /** Only if it is sampled. */
  trace?: RecordTrace
}

/** How a message reaches a dispatcher. */
export type DispatchPath =
  /** In memory: the dispatcher of this process has it right after the commit. */
  | { kind: 'handoff' }
  /** By its row, which any dispatcher finds when it is due. */
  | { kind: 'queue'; dueAt: Date }

/** Messages that are written together at one time, and the ID of each. */
export interface Batch {
  now: Date
  ids: readonly string[]
  messages: readonly NewMessage[]
}

/** Which messages of a batch were written, and how many. */
export interface Written {
  count: number
  has: (index: number) => boolean
}

export interface IdempotencyKey {
  key: string
  requestHash: Buffer
}

/** `explainRefusals` finds out why some were not written. */
export async function insertAccepted(
  db: Queryable,
  accountId: AccountId,
  batch: Batch,
): Promise<Written> {
  const { messages } = batch
  const kind: BatchKind = {
    isPlain: messages.every(isPlain),
    isKeyed: messages.some((message) => message.once !== null),
    isQueued: messages.some(({ path }) => path.kind === 'queue'),
    isHandedOff: messages.some(({ path }) => path.kind === 'handoff'),
  }
  const values: unknown[] = [accountId, batch.now, ...columnsOf(batch)]
  if (!kind.isPlain) values.push(...moreColumnsOf(batch))
  if (kind.isKeyed) values.push(...keyColumnsOf(batch))
  const [row] = await db.query<{ count: number }>(composed(statementFor(kind), values))
  const { count } = row!
  if (count === messages.length) return { count, has: () => true }
  const written = await findWritten(db, accountId, batch.ids)
  return { count, has: (index) => written.has(batch.ids[index]!) }
}

function isPlain(m: NewMessage): boolean {
  return (
    m.type === 'SMS' && m.automatic === null && m.scheduledAt === null && m.validitySeconds === null
  )
}

async function findWritten(
  db: Queryable,
  accountId: AccountId,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select id from messages
    where account_id = ${accountId} and id = any (${ids}::text[])`)
  return new Set(rows.map((row) => row.id))
}

// One pass over the batch with plain texts. At thousands per second, a pass per column would be the larger part of
// a send. IDs, numbers, and words need no quotes.
function columnsOf({ ids, messages }: Batch): unknown[] {
  const sharedColumns = new SharedColumns()
  let [id, peer, body, metadata, shared] = ['', '', '', '', '']
  for (let i = 0; i < messages.length; i += 1) {
    const m = messages[i]!
    id += `,${ids[i]}`
    peer += `,${m.to}`
    body += `,${quoted(m.body)}`
    metadata += `,${quoted(JSON.stringify(m.metadata))}`
    shared += `,${sharedColumns.ordinalOf(m)}`
  }
  const own = valuesOf(MESSAGE_COLUMNS, { id, peer, body, metadata, shared }) as string[]
  return [...sharedColumns.values(), ...own.map((list) => `{${list.slice(1)}}`)]
}

/** Values that messages of a batch share, once each. Neighbors mostly have the same. */
class SharedColumns {
  readonly #list: NewMessage[] = []
  readonly #ordinals = new Map<string, number>()
  #last: NewMessage | null = null
  #lastOrdinal = 0

  /** From 1, as PostgreSQL counts. */
  ordinalOf(m: NewMessage): number {
    if (this.#last === null || !isAlike(m, this.#last)) {
      const key = `${m.campaignId} ${m.from} ${m.route} ${m.numSegments} ${m.priceMicros} ${dueMsOf(m)}`
      const ordinal = this.#ordinals.get(key)
      this.#lastOrdinal = ordinal ?? this.#list.push(m)
      if (ordinal === undefined) this.#ordinals.set(key, this.#lastOrdinal)
    }
    this.#last = m
    return this.#lastOrdinal
  }

  values(): unknown[] {
    return valuesOf(SHARED_COLUMNS, {
      campaign_id: plainArray(this.#list.map((m) => m.campaignId)),
      number: plainArray(this.#list.map((m) => m.from)),
      route: plainArray(this.#list.map((m) => m.route)),
      segments: plainArray(this.#list.map((m) => m.numSegments)),
      price: plainArray(this.#list.map((m) => m.priceMicros)),
      due_ms: plainArray(this.#list.map(dueMsOf)),
    })
  }
}

/** Null for a handed-off message: its lease is that of the handoff. */
function dueMsOf({ path }: NewMessage): number | null {
  return path.kind === 'queue' ? path.dueAt.getTime() : null
}

function isAlike(a: NewMessage, b: NewMessage): boolean {
  return (
    dueMsOf(a) === dueMsOf(b) &&
    a.numSegments === b.numSegments &&
    a.priceMicros === b.priceMicros &&
    a.campaignId === b.campaignId &&
    a.from === b.from &&
    a.route === b.route
  )
}

function moreColumnsOf({ messages, now }: Batch): unknown[] {
  return valuesOf(MORE_COLUMNS, {
    type: plainArray(messages.map((m) => m.type)),
    media_urls: textArray(messages.map((m) => JSON.stringify(m.mediaUrls))),
    scheduled_ms: plainArray(messages.map((m) => m.scheduledAt?.getTime() ?? null)),
    automatic: plainArray(messages.map((m) => m.automatic)),
    validity: plainArray(messages.map((m) => m.validitySeconds)),
    expires_ms: plainArray(messages.map((m) => givenExpiryMs(m, now))),
  })
}

/** Null if it follows from when the message is due. */
function givenExpiryMs({ scheduledAt, validitySeconds }: NewMessage, now: Date): number | null {
  return validitySeconds === null ? null : expiryOf(scheduledAt ?? now, validitySeconds).getTime()
}

function keyColumnsOf({ ids, messages }: Batch): unknown[] {
  return valuesOf(KEY_COLUMNS, {
    key: textArray(messages.map((m) => m.once?.key ?? null)),
    request_hash: textArray(
      messages.map((m) => m.once && `\\x${m.once.requestHash.toString('hex')}`),
    ),
    answer: textArray(
      messages.map((m, i) => m.once && JSON.stringify({ success: true, id: ids[i] })),
    ),
  })
}

export interface RefusalFacts {
  isOptedOut: boolean
  isActive: boolean
  isEnded: boolean
}

/** Why messages of a batch were left out, in their order. Runs only if some were. */
export async function explainRefusals(
  db: Queryable,
  accountId: AccountId,
  messages: readonly NewMessage[],
): Promise<RefusalFacts[]> {
  return db.query<RefusalFacts>(sql`
    select
      exists (select 1 from optouts o where o.account_id = ${accountId}
        and o.campaign_id = t.campaign_id and o.recipient = t.peer) as "isOptedOut",
      exists (select 1 from campaigns c where c.account_id = ${accountId}
        and c.id = t.campaign_id and c.status = 'ACTIVE') as "isActive",
      exists (select 1 from campaigns c where c.account_id = ${accountId}
        and c.id = t.campaign_id and c.status = 'ENDED') as "isEnded"
    from unnest(${messages.map((m) => m.campaignId)}::text[], ${messages.map((m) => m.to)}::text[])
      with ordinality as t (campaign_id, peer, ordinal)
    order by ordinal`)
}
