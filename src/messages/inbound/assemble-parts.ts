// Long inbound messages arrive in parts, in any order, some of them twice. They are assembled when all parts have
// arrived. After a minute without the missing parts, the message is delivered incomplete.

import type { Transaction } from '../../kit/postgres/db.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type { Inbound, InboundPart } from '../carrier-port.js'
import {
  deleteParts,
  findOverdueParts,
  insertPart,
  listParts,
  lockParts,
  markPartsDone,
  type PartKey,
  type StoredInboundPart,
} from './inbound-queries.js'

const WAIT_MS = 60_000

/** What the message is, however it arrived. */
export type WholeInbound = Pick<
  Inbound,
  'from' | 'to' | 'body' | 'mediaUrls' | 'network' | 'handledAs'
> &
  Partial<Pick<Inbound, 'link'>>

/** Passes on the whole message in the same transaction, so no part is deleted before the whole is stored. */
type Keep = (tx: Transaction, whole: WholeInbound) => Promise<string | null>

/** Null while parts are missing, and for a repeated part. */
export async function addPart(
  tx: Transaction,
  inbound: Inbound,
  { reference, total, sequence }: InboundPart,
  now: Date,
  keep: Keep,
): Promise<string | null> {
  const key: PartKey = { number: inbound.to, peer: inbound.from, reference }
  const part: StoredInboundPart = { ...key, sequence, total, body: inbound.body, isDone: false }
  await lockParts(tx, key)
  const stored = await listParts(tx, key)
  const twin = stored.find((other) => other.sequence === sequence)
  if (twin && twin.total === total && twin.body === part.body) return null

  // Phones count their references up and start over. In that case another message starts here.
  const isOther = twin !== undefined || stored.some((other) => other.total !== total)
  if (isOther) await finishParts(tx, key, stored, keep)
  await insertPart(tx, part, now)
  const parts = [...(isOther ? [] : stored), part].sort((a, b) => a.sequence - b.sequence)
  if (parts.length < total) return null
  await markPartsDone(tx, key)
  return keep(tx, joined(parts))
}

async function finishParts(
  tx: Transaction,
  key: PartKey,
  parts: readonly StoredInboundPart[],
  keep: Keep,
): Promise<void> {
  await deleteParts(tx, key)
  if (parts.some((part) => !part.isDone)) await keep(tx, joined(parts))
}

function joined(parts: readonly StoredInboundPart[]): WholeInbound {
  const { number, peer } = parts[0]!
  return {
    from: peer,
    to: number,
    body: parts.map((part) => part.body).join(''),
    mediaUrls: [],
  }
}

export function overduePartsLoop({ db, clock, log, hints }: World, keep: Keep): Loop {
  return {
    name: 'overdue parts',
    hints: ['clock'],
    idleMs: 5_000,
    onError: (error) => log.error({ err: error }, 'delivering incomplete messages failed'),
    step: async () => {
      const before = new Date(clock.now().getTime() - WAIT_MS)
      const overdue = await findOverdueParts(db, before, 100)
      for (const key of overdue) {
        await db.transaction(async (tx) => {
          await lockParts(tx, key)
          await finishParts(tx, key, await listParts(tx, key), keep)
        })
        hints.notify('deliveries')
        hints.notify('messages')
      }
      return overdue.length
    },
  }
}
