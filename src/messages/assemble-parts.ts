// Long inbound messages come in parts, in any order, some of them twice. They are put together when
// all have come; after a minute without the missing ones, what came is delivered.

import type { Transaction } from '../kit/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import type { Inbound, InboundPart } from './carrier-port.js'
import {
  deleteParts,
  findOverdueParts,
  insertPart,
  lockParts,
  type StoredPart,
} from './inbound-queries.js'

const WAIT_MS = 60_000

/** Hands on the whole message in the same transaction: a part is never gone before the whole is kept. */
type Keep = (tx: Transaction, whole: Inbound) => Promise<string | null>

/** Null while parts are missing. */
export async function addPart(
  tx: Transaction,
  inbound: Inbound,
  part: InboundPart,
  now: Date,
  keep: Keep,
): Promise<string | null> {
  const key = { number: inbound.to, peer: inbound.from, reference: part.reference }
  await insertPart(tx, inbound, part, now)
  const parts = await lockParts(tx, key)
  if (parts.length < part.total) return null
  await deleteParts(tx, key)
  return keep(tx, joined(parts))
}

function joined(parts: readonly StoredPart[]): Inbound {
  const { number, peer } = parts[0]!
  return {
    from: peer,
    to: number,
    body: parts.map((part) => part.body).join(''),
    mediaUrls: [],
    part: null,
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
          const parts = await lockParts(tx, key)
          await deleteParts(tx, key)
          if (parts.length > 0) await keep(tx, joined(parts))
        })
        hints.give('deliveries')
      }
      return overdue.length
    },
  }
}
