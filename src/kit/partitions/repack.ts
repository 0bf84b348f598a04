// Returns the disk space of old partitions whose rows were deleted one by one. PostgreSQL keeps a table's pages until
// they are at its end, so the remaining rows are copied into a new table, which takes the partition's place. Others read
// and write meanwhile: a trigger records which rows change, and they are copied again. Only the exchange blocks the
// table, for milliseconds, and it gives up if it has to wait. Each step is one transaction and continues where the last
// one ended, in any process, so a kill at any time loses nothing. Not on a cluster, which does not support triggers.

import { BRIEFLY, type Queryable, type Store, type Transaction } from '../postgres/db.js'
import { listPartitions, type Partition } from './partition-queries.js'
import {
  analyzeCopy,
  beginCopy,
  copyChanges,
  copyRows,
  dropCopy,
  findTotalBytes,
  isAlike,
  listCopied,
  lockTable,
  measureDensity,
  swapCopy,
  tryLockCopies,
} from './repack-queries.js'

export interface RepackSizes {
  /** Smaller partitions are left alone. */
  bytesMin: number
  /** A partition is copied if the copy is estimated to have at most this share of its size. */
  shareMax: number
  /** Rows for each transaction. */
  rows: number
}

const MIB = 1024 ** 2
const SIZES: RepackSizes = { bytesMin: 64 * MIB, shareMax: 0.5, rows: 2_000 }
const SAMPLE_PAGES = 1_000
/** Changes that are copied under the lock. */
const LAST_CHANGES_MAX = 200

interface Repacked {
  partition: string
  bytesBefore: number
  bytesAfter: number
}

export interface Sparse {
  partition: Partition
  /** Whether it has an unfinished copy. */
  isBegun: boolean
}

/** The first partition that has an unfinished copy, or whose copy would be small enough. Null if there is none. */
export async function findSparse(
  db: Queryable,
  table: string,
  before: string,
  { bytesMin, shareMax }: RepackSizes = SIZES,
): Promise<Sparse | null> {
  const past = (await listPartitions(db, table)).filter(({ to }) => to !== null && to <= before)
  const names = past.map(({ name }) => name)
  const [begun] = await listCopied(db, names)
  const copied = past.find(({ name }) => name === begun)
  if (copied) return { partition: copied, isBegun: true }
  for (const partition of past) {
    const { bytes, copyBytes } = await measureDensity(db, partition.name, SAMPLE_PAGES)
    if (bytes >= bytesMin && copyBytes <= bytes * shareMax) return { partition, isBegun: false }
  }
  return null
}

/** `busy`: another node is working on it. `more`: call again. */
export type RepackResult = 'busy' | 'more' | Repacked

/** Does one transaction of the work. */
export async function repackStep(
  db: Store,
  table: string,
  sparse: Sparse,
  { rows }: RepackSizes = SIZES,
): Promise<RepackResult> {
  const { name } = sparse.partition
  const next = await db.transaction((tx) => copyStep(tx, table, sparse, rows), BRIEFLY)
  if (next !== 'exchange') return next
  await analyzeCopy(db, name)
  const bytesBefore = await findTotalBytes(db, name)
  const isDone = await db.transaction((tx) => exchange(tx, table, sparse.partition), BRIEFLY)
  if (!isDone) return 'more'
  return { partition: name, bytesBefore, bytesAfter: await findTotalBytes(db, name) }
}

async function copyStep(
  tx: Transaction,
  table: string,
  { partition, isBegun }: Sparse,
  rows: number,
): Promise<'busy' | 'more' | 'exchange'> {
  const { name } = partition
  if (!(await tryLockCopies(tx))) return 'busy'
  const isCopied = (await listCopied(tx, [name])).length > 0
  if (isCopied !== isBegun) return 'busy'
  if (!isCopied) await beginCopy(tx, partition)
  else if (!(await isAlike(tx, table, name))) await dropCopy(tx, name)
  else if ((await copyRows(tx, name, rows)) === 0) {
    const changes = await copyChanges(tx, name, rows)
    return changes < LAST_CHANGES_MAX ? 'exchange' : 'more'
  }
  return 'more'
}

async function exchange(tx: Transaction, table: string, partition: Partition): Promise<boolean> {
  if (!(await tryLockCopies(tx))) return false
  await lockTable(tx, table)
  const { name } = partition
  const isBegun = (await listCopied(tx, [name])).length > 0
  if (!isBegun || !(await isAlike(tx, table, name))) return false
  // Nobody writes anymore, so fewer changes than the maximum were the last ones.
  if ((await copyChanges(tx, name, LAST_CHANGES_MAX)) >= LAST_CHANGES_MAX) return false
  await swapCopy(tx, table, partition)
  return true
}
