// Tables partitioned by time. The last partition is open-ended, so every row finds a place even if no process
// created a new one. Small tables have no other partition. Later, the open end is split ahead of time, while
// it is empty, and old partitions are dropped whole. IDs contain the time: a bound is the lowest ID of a
// time.

import { DAY_MS } from '../clock.js'
import { type IdPrefix, idFloor, timeOfId } from '../ids.js'
import { BRIEFLY, type Queryable, type Store } from '../postgres/db.js'
import {
  addBound,
  cutPartition,
  dropBound,
  dropPartition,
  findBytes,
  hasRows,
  listPartitions,
  lockPartitions,
  type Partition,
  validateBound,
} from './partition-queries.js'
import { aheadOf, nextStart, type Period, periodFor, startOf } from './periods.js'
import { dropCopyTables } from './repack-queries.js'

/** Tables whose rows expire together, in the order in which they are dropped. */
export interface Family {
  tables: readonly { name: string; prefix: IdPrefix }[]
  /** A partition has one such period, or a shorter one if that would be too large. */
  longest: Period
}

export interface Sizes {
  /** Below this size, a family is not split. */
  cutBytes: number
  /** The target maximum size of a partition. */
  partitionBytes: number
}

const GIB = 1024 ** 3
const SIZES: Sizes = { cutBytes: 8 * GIB, partitionBytes: 32 * GIB }

/** Whether it is emptied by dropping partitions. */
export async function isCut(db: Queryable, table: string): Promise<boolean> {
  return (await listPartitions(db, table)).length > 1
}

/** The lowest ID that the table can still contain; null: any. */
export async function findFirstBound(db: Queryable, table: string): Promise<string | null> {
  return (await listPartitions(db, table))[0]?.from ?? null
}

/**
 * Tables whose rows go into the open end because no partition was created for them, or that a failed split
 * left with a bound.
 */
export async function findBehind(
  db: Queryable,
  families: readonly Family[],
  now: Date,
): Promise<string[]> {
  const behind: string[] = []
  for (const { name } of families.flatMap(({ tables }) => tables)) {
    const partitions = await listPartitions(db, name)
    const open = partitions.find(({ to }) => to === null)
    const isLate = partitions.length > 1 && open?.from && timeOfId(open.from) <= now
    if (isLate || open?.hasBound) behind.push(name)
  }
  return behind
}

/** Creates the partitions that are missing ahead of now. Returns them. */
export async function makeAhead(
  db: Store,
  { tables, longest }: Family,
  now: Date,
  sizes: Sizes = SIZES,
): Promise<string[]> {
  const listed = await Promise.all(tables.map(({ name }) => listPartitions(db, name)))
  const isWhole = listed.every((partitions) => partitions.length <= 1)
  // The partitions being written. The others no longer grow.
  const present = listed.flat().filter(({ to }) => to === null || timeOfId(to) > now)
  const bytes = await findBytes(
    db,
    present.map(({ name }) => name),
  )
  const sum = [...bytes.values()].reduce((total, one) => total + one, 0)
  if (isWhole && sum < sizes.cutBytes) return []
  const period = periodFor(longest, bytesPerDay(present, bytes, now), sizes.partitionBytes)
  const made: string[] = []
  for (const { name, prefix } of tables) {
    for (;;) {
      const one = await cutNext(db, { name, prefix, period, now })
      if (one === null) break
      made.push(one)
    }
  }
  return made
}

/** What the largest table of the family grows per day. The start of the first partition is unknown. */
function bytesPerDay(
  present: readonly Partition[],
  bytes: ReadonlyMap<string, number>,
  now: Date,
): number {
  const rates = present.map(({ name, from }) => {
    if (from === null) return 0
    const days = Math.max(1, (now.getTime() - timeOfId(from).getTime()) / DAY_MS)
    return bytes.get(name)! / days
  })
  return Math.max(0, ...rates)
}

interface Cut {
  name: string
  prefix: IdPrefix
  period: Period
  now: Date
}

/** Null if there is enough ahead. */
async function cutNext(db: Store, { name, prefix, period, now }: Cut): Promise<string | null> {
  const open = await findOpen(db, name)
  const start = open?.from ? timeOfId(open.from) : null
  const ahead = aheadOf(period, now)
  if (open === null || (start !== null && start >= ahead)) return null
  const isAhead = start !== null && start >= startOf(period, now)
  const at = isAhead ? nextStart(period, start) : ahead
  const newName = `${name}_from_${at.toISOString().slice(0, 10).replaceAll('-', '')}`
  await cutAt(db, name, open.name, { at: idFloor(prefix, at), newName })
  return newName
}

async function findOpen(db: Queryable, table: string): Promise<Partition | null> {
  return (await listPartitions(db, table)).find(({ to }) => to === null) ?? null
}

/** Existing rows are checked first, while others keep writing. Then the split itself takes no time. */
async function cutAt(
  db: Store,
  table: string,
  openName: string,
  cut: { at: string; newName: string },
): Promise<void> {
  try {
    if (await hasRows(db, openName)) await bind(db, table, openName, cut.at)
    await db.transaction(async (tx) => {
      await lockPartitions(tx)
      const open = await findOpen(tx, table)
      if (open?.name === openName) await cutPartition(tx, table, open, cut)
    }, BRIEFLY)
  } catch (error) {
    // A leftover bound would one day refuse rows.
    await dropBound(db, openName).catch(() => {})
    throw error
  }
}

async function bind(db: Store, table: string, partition: string, before: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockPartitions(tx)
    await dropBound(tx, partition)
    await addBound(tx, table, partition, before)
  }, BRIEFLY)
  await validateBound(db, partition)
}

/** Partitions with nothing newer, oldest first. Returns them. */
export async function dropBefore(db: Store, family: Family, moment: Date): Promise<string[]> {
  const dropped: string[] = []
  for (const { name, prefix } of family.tables) {
    const bound = idFloor(prefix, moment)
    const past = (await listPartitions(db, name)).filter(({ to }) => to !== null && to <= bound)
    for (const one of past) {
      await db.transaction(async (tx) => {
        await dropPartition(tx, one.name)
        await dropCopyTables(tx, one.name)
      }, BRIEFLY)
      dropped.push(one.name)
    }
  }
  return dropped
}
