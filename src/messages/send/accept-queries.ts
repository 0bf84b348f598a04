// Accepting messages in the database: one statement per account and batch, written down in
// accept-statement-queries.ts. Short of money, the wallet's constraint refuses the whole of it.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { plainArray, quoted, textArray } from '../../kit/postgres/pg-array.js'
import { composed, valuesOf } from '../../kit/postgres/pieces.js'
import { sql } from '../../kit/postgres/sql.js'
import type { KeywordName } from '../../text/keywords.js'
import type { Route } from '../lane.js'
import type { MessageType } from '../message.js'
import { expiryOf } from '../validity.js'
import {
  KEY_COLUMNS,
  type Kind,
  MESSAGE_COLUMNS,
  MORE_COLUMNS,
  SHARED_COLUMNS,
  statementFor,
} from './accept-statement-queries.js'

export interface NewMessage {
  /** Empty until it is written: it holds the time of that moment. */
  id: string
  campaignId: string
  type: MessageType
  number: string
  peer: string
  route: Route
  body: string
  mediaUrls: readonly string[]
  metadata: Readonly<Record<string, string>>
  numSegments: number
  priceMicros: bigint
  /** The keyword that it answers by itself, so that it is sent also to the opted-out; mostly null. */
  automatic: KeywordName | null
  scheduledAt: Date | null
  /** How long it is worth sending. Null: as long as any. */
  validitySeconds: number | null
  /** When a dispatcher looks for it. Null: the one of this process gets it right after the commit. */
  dueAt: Date | null
  once: OnceKey | null
}

export interface OnceKey {
  key: string
  requestHash: Buffer
}

/** Those that were written. The others' reasons are for `explainRefusals` to find. */
export async function insertAccepted(
  db: Queryable,
  accountId: AccountId,
  messages: NewMessage[],
  now: Date,
): Promise<NewMessage[]> {
  const kind: Kind = {
    isPlain: messages.every(isPlain),
    isKeyed: messages.some((message) => message.once !== null),
    isQueued: messages.some((message) => message.dueAt !== null),
    isHandedOn: messages.some((message) => message.dueAt === null),
  }
  const values: unknown[] = [accountId, now, ...columnsOf(messages)]
  if (!kind.isPlain) values.push(...moreColumnsOf(messages, now))
  if (kind.isKeyed) values.push(...keyColumnsOf(messages))
  const [row] = await db.query<{ count: number }>(composed(statementFor(kind), values))
  if (row!.count === messages.length) return messages
  const written = await findWritten(db, accountId, messages)
  return messages.filter((message) => written.has(message.id))
}

function isPlain(m: NewMessage): boolean {
  return (
    m.type === 'SMS' && m.automatic === null && m.scheduledAt === null && m.validitySeconds === null
  )
}

async function findWritten(
  db: Queryable,
  accountId: AccountId,
  messages: readonly NewMessage[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select id from messages
    where account_id = ${accountId} and id = any (${messages.map((m) => m.id)}::text[])`)
  return new Set(rows.map((row) => row.id))
}

// One pass over the batch with plain texts: at thousands a second, a pass per column is the larger part
// of a send. Ids, numbers and words need no quotes.
function columnsOf(messages: readonly NewMessage[]): unknown[] {
  const sharedColumns = new SharedColumns()
  let [id, peer, body, metadata, shared] = ['', '', '', '', '']
  for (const m of messages) {
    id += `,${m.id}`
    peer += `,${m.peer}`
    body += `,${quoted(m.body)}`
    metadata += `,${quoted(JSON.stringify(m.metadata))}`
    shared += `,${sharedColumns.ordinalOf(m)}`
  }
  const own = valuesOf(MESSAGE_COLUMNS, { id, peer, body, metadata, shared }) as string[]
  return [...sharedColumns.values(), ...own.map((list) => `{${list.slice(1)}}`)]
}

/** What messages of a batch have in common, once each. Neighbours mostly have the same. */
class SharedColumns {
  readonly #list: NewMessage[] = []
  readonly #ordinals = new Map<string, number>()
  #last: NewMessage | null = null
  #lastOrdinal = 0

  /** From 1 on, as PostgreSQL counts. */
  ordinalOf(m: NewMessage): number {
    if (this.#last === null || !isAlike(m, this.#last)) {
      const key = `${m.campaignId} ${m.number} ${m.route} ${m.numSegments} ${m.priceMicros} ${m.dueAt?.getTime()}`
      const known = this.#ordinals.get(key)
      this.#lastOrdinal = known ?? this.#list.push(m)
      if (known === undefined) this.#ordinals.set(key, this.#lastOrdinal)
    }
    this.#last = m
    return this.#lastOrdinal
  }

  values(): unknown[] {
    return valuesOf(SHARED_COLUMNS, {
      campaign_id: plainArray(this.#list.map((m) => m.campaignId)),
      number: plainArray(this.#list.map((m) => m.number)),
      route: plainArray(this.#list.map((m) => m.route)),
      segments: plainArray(this.#list.map((m) => m.numSegments)),
      price: plainArray(this.#list.map((m) => m.priceMicros)),
      due_ms: plainArray(this.#list.map((m) => m.dueAt?.getTime() ?? null)),
    })
  }
}

function isAlike(a: NewMessage, b: NewMessage): boolean {
  return (
    a.dueAt?.getTime() === b.dueAt?.getTime() &&
    a.numSegments === b.numSegments &&
    a.priceMicros === b.priceMicros &&
    a.campaignId === b.campaignId &&
    a.number === b.number &&
    a.route === b.route
  )
}

function moreColumnsOf(messages: readonly NewMessage[], now: Date): unknown[] {
  return valuesOf(MORE_COLUMNS, {
    type: plainArray(messages.map((m) => m.type)),
    media_urls: textArray(messages.map((m) => JSON.stringify(m.mediaUrls))),
    scheduled_ms: plainArray(messages.map((m) => m.scheduledAt?.getTime() ?? null)),
    automatic: plainArray(messages.map((m) => m.automatic)),
    validity: plainArray(messages.map((m) => m.validitySeconds)),
    expires_ms: plainArray(messages.map((m) => givenExpiryMs(m, now))),
  })
}

/** Null where it follows from when the message is due. */
function givenExpiryMs({ scheduledAt, validitySeconds }: NewMessage, now: Date): number | null {
  return validitySeconds === null ? null : expiryOf(scheduledAt ?? now, validitySeconds).getTime()
}

function keyColumnsOf(messages: readonly NewMessage[]): unknown[] {
  return valuesOf(KEY_COLUMNS, {
    key: textArray(messages.map((m) => m.once?.key ?? null)),
    request_hash: textArray(
      messages.map((m) => m.once && `\\x${m.once.requestHash.toString('hex')}`),
    ),
    answer: textArray(messages.map((m) => m.once && JSON.stringify({ success: true, id: m.id }))),
  })
}

export interface RefusalFacts {
  id: string
  isOptedOut: boolean
  isActive: boolean
  isEnded: boolean
}

/** Why messages of a batch were left out: asked only when some were. */
export async function explainRefusals(
  db: Queryable,
  accountId: AccountId,
  messages: readonly NewMessage[],
): Promise<RefusalFacts[]> {
  return db.query<RefusalFacts>(sql`
    select t.id,
      exists (select 1 from optouts o where o.account_id = ${accountId}
        and o.campaign_id = t.campaign_id and o.recipient = t.peer) as "isOptedOut",
      exists (select 1 from campaigns c where c.account_id = ${accountId}
        and c.id = t.campaign_id and c.status = 'ACTIVE') as "isActive",
      exists (select 1 from campaigns c where c.account_id = ${accountId}
        and c.id = t.campaign_id and c.status = 'ENDED') as "isEnded"
    from unnest(${messages.map((m) => m.id)}::text[], ${messages.map((m) => m.campaignId)}::text[],
      ${messages.map((m) => m.peer)}::text[]) as t (id, campaign_id, peer)`)
}
