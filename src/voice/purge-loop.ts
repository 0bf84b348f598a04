// Purges old voice data in batches: forwarding changes that every node has read, call counts, and call records.

import { DAY_MS, elapsedMs, HOUR_MS } from '../kit/clock.js'
import { dayOf } from '../kit/contract/days.js'
import { deleteEach } from '../kit/postgres/workers/together.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import {
  deleteForwardingChanges,
  deleteForwardingStops,
  findSettledBelow,
} from '../numbers/forwarding-queries.js'
import { deleteOldCalls, listOldCallers } from './call-queries.js'
import {
  deleteOldRecords,
  deleteOldTrunkCalls,
  eraseOldCallers,
  listOldRecords,
} from './records/call-record-queries.js'

const PORTION = 1_000
const TRUNK_DAYS_KEPT = 7
const IDLE_MS = 10 * 60 * 1000
/** Twice the maximum time a node can go without updates: see forwardings.ts. */
const CHANGES_KEPT_MS = HOUR_MS
const CALLS_KEPT_DAYS = 400

export function voicePurgeLoop(world: World): Loop {
  const { db, clock, log } = world
  const purgeChanges = createChangePurge(world)
  return {
    name: 'call purge',
    hints: ['clock'],
    idleMs: IDLE_MS,
    onError: (error) => log.error({ err: error }, 'purging old voice data failed'),
    step: async () => {
      const before = dayOf(new Date(clock.nowMs() - CALLS_KEPT_DAYS * DAY_MS))
      const old = await listOldCallers(db.patient, before)
      await deleteEach(db.workers, old, ([one]) =>
        deleteOldCalls(db.patient, one!.accountId, before),
      )
      const purged = await purgeRecords(world)
      return purged + (await purgeChanges())
    },
  }
}

/** Records, and the caller numbers in them, each after its retention: one batch per account. */
async function purgeRecords({ db, clock, config: { callRecords } }: World): Promise<number> {
  const beforeOf = (days: number) => new Date(clock.nowMs() - days * DAY_MS)
  const [old, oldCallers] = [beforeOf(callRecords.days), beforeOf(callRecords.callerDays)]
  let purged = 0
  await deleteEach(db.workers, await listOldRecords(db.patient, old, 'records'), async ([one]) => {
    purged += await deleteOldRecords(db.patient, one!.accountId, old, PORTION)
  })
  const callers = await listOldRecords(db.patient, oldCallers, 'callers')
  await deleteEach(db.workers, callers, async ([one]) => {
    purged += await eraseOldCallers(db.patient, one!.accountId, oldCallers, PORTION)
  })
  await deleteOldTrunkCalls(db.patient, dayOf(beforeOf(TRUNK_DAYS_KEPT)))
  return purged
}

/**
 * A change has no timestamp, only its transaction id. This process remembers which transactions had ended at a point in
 * time, and deletes their changes an hour later.
 */
function createChangePurge({ db }: World): () => Promise<number> {
  let marked: { settledBelow: bigint; atMs: number } | null = null
  let deletable: bigint | null = null
  return async () => {
    if (marked === null || elapsedMs(marked.atMs) >= CHANGES_KEPT_MS) {
      deletable = marked?.settledBelow ?? null
      marked = { settledBelow: await findSettledBelow(db.patient), atMs: elapsedMs() }
    }
    if (deletable === null) return 0
    await deleteForwardingStops(db.patient, deletable)
    return deleteForwardingChanges(db.patient, deletable, PORTION)
  }
}
