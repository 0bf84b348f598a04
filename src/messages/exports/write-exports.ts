// Writes exports in the background, a part at a time. Each round writes one part of every export that is due, so a large
// one does not delay the others. A part and the progress are recorded in one transaction: after kill -9, another process
// continues behind the last part when the lease ends.

import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { AccountId } from '../../accounts/account.js'
import { brieflyFor, type Store } from '../../kit/postgres/db.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { readFilter } from '../reads/message-filter.js'
import { searchMessages } from '../reads/search-queries.js'
import { EXPORT_HEAD, exportLine } from './export-csv.js'
import {
  claimExport,
  deleteExport,
  type ExportKey,
  insertPart,
  listDueExports,
  listExpiredExports,
  listExportsBefore,
  updateExport,
} from './export-queries.js'
import {
  EXPORT_KEPT_MS,
  EXPORT_LEASE_MS,
  EXPORT_ROWS_MAX,
  EXPORT_TIME_MAX_MS,
  type MessageExport,
} from './message-export.js'

const IDLE_MS = 1_000
const EXPORTS_PER_STEP = 20
/** At most 30 MB in memory if every message has the most metadata. */
const PORTION = 1_000
const PURGE_IDLE_MS = 60_000

const compress = promisify(gzip)

type ExportWorld = Pick<World, 'db' | 'clock' | 'log'>

export function exportLoop(world: World, rowsMax = EXPORT_ROWS_MAX): Loop {
  return {
    name: 'message exports',
    hints: ['clock', 'exports'],
    idleMs: () => world.hints.pollMs(IDLE_MS, 'schedule'),
    onError: (error) => world.log.error({ err: error }, 'could not find message exports'),
    step: async (signal) => {
      let parts = 0
      for (const key of await listDueExports(world.db, world.clock.now(), EXPORTS_PER_STEP)) {
        if (signal.aborted) break
        if (await tryPart(world, key, rowsMax)) parts += 1
      }
      return parts
    },
  }
}

// One export that fails must not block the others. It is tried again when its lease ends.
async function tryPart(world: ExportWorld, key: ExportKey, rowsMax: number): Promise<boolean> {
  try {
    return await writePart(world, key, rowsMax)
  } catch (error) {
    world.log.error({ err: error, export: key.id }, 'could not continue a message export')
    return false
  }
}

/** Whether there was work to do. An export that cannot be finished in a day fails, whatever the reason. */
async function writePart(
  { db, clock }: ExportWorld,
  key: ExportKey,
  rowsMax: number,
): Promise<boolean> {
  const now = clock.now()
  const leaseUntil = new Date(now.getTime() + EXPORT_LEASE_MS)
  const claimed = await claimExport(db, key, now, leaseUntil)
  if (!claimed) return false
  const { accountId, filter, position, rowCount, partCount } = claimed
  if (now.getTime() - claimed.createdAt.getTime() > EXPORT_TIME_MAX_MS) {
    const failed = { ...claimed, status: 'FAILED', finishedAt: now } as const
    return db.transaction((tx) => updateExport(tx, failed, leaseUntil), brieflyFor(accountId))
  }
  const limit = Math.min(PORTION, rowsMax - rowCount)
  const page = { limit, skip: 0, after: position }
  const { messages, next } = await searchMessages(db, accountId, readFilter(filter), page)
  const lines = messages.map(exportLine).join('')
  const text = partCount === 0 ? EXPORT_HEAD + lines : lines
  const content = text === '' ? null : await compress(text)
  const progress = {
    ...claimed,
    rowCount: rowCount + messages.length,
    byteCount: claimed.byteCount + Buffer.byteLength(text),
    partCount: partCount + (content ? 1 : 0),
    position: next ?? position,
    isTruncated: next !== null && rowCount + messages.length >= rowsMax,
    dueAt: clock.now(),
  }
  return db.transaction(async (tx) => {
    const isOurs = await updateExport(tx, finishedIfDone(progress, next), leaseUntil)
    if (isOurs && content) await insertPart(tx, key, partCount, content)
    return isOurs
  }, brieflyFor(accountId))
}

function finishedIfDone(progress: MessageExport, next: string | null): MessageExport {
  const { dueAt: now, isTruncated } = progress
  if (next !== null && !isTruncated) return progress
  const expiresAt = new Date(now.getTime() + EXPORT_KEPT_MS)
  return { ...progress, status: 'DONE', finishedAt: now, expiresAt }
}

/** Deletes exports that have expired. */
export function purgeExportsLoop({ db, clock, log }: World): Loop {
  return {
    name: 'expired message exports',
    hints: ['clock'],
    idleMs: PURGE_IDLE_MS,
    onError: (error) => log.error({ err: error }, 'could not delete expired message exports'),
    step: async () => {
      const expired = await listExpiredExports(db.patient, clock.now(), EXPORTS_PER_STEP)
      for (const key of expired) {
        await db.patient.transaction((tx) => deleteExport(tx, key), brieflyFor(key.accountId))
      }
      return expired.length
    },
  }
}

/** For retention: a file must not outlive the texts it was made from for long. */
export async function deleteExportsBefore(
  db: Store,
  accountId: AccountId,
  before: Date,
): Promise<void> {
  for (const key of await listExportsBefore(db, accountId, before)) {
    await db.transaction((tx) => deleteExport(tx, key), { accountId })
  }
}
