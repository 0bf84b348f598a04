// Tables that are cut by time. The last partition of each is open-ended, so that a row always finds its place, whoever
// slept. While tables are small they have no other. From then on the open end is cut ahead of time, while nothing is in
// it, and partitions that are past are dropped whole. The time is in the ids: a bound is the lowest id of a moment.

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

/** Tables whose rows are past together, in the order in which they are dropped. */
export interface Family {
  tables: readonly { name: string; prefix: IdPrefix }[]
  /** Of which a partition holds one, or a shorter one where that is large. */
  longest: Period
}

export interface Sizes {
  /** Below that a family is left whole. */
  cutBytes: number
  /** What a partition should stay below. */
  partitionBytes: number
}

const GIB = 1024 ** 3
const SIZES: Sizes = { cutBytes: 8 * GIB, partitionBytes: 32 * GIB }

const DAY_MS = 24 * 60 * 60 * 1000

/** Whether it is emptied by dropping partitions. */
export async function isCut(db: Queryable, table: string): Promise<boolean> {
  return (await listPartitions(db, table)).length > 1
}

/** The lowest id that the table can still hold; null: any. */
export async function findFirstBound(db: Queryable, table: string): Promise<string | null> {
  return (await listPartitions(db, table))[0]?.from ?? null
}

/** Tables whose rows go into the open end, because nobody made a partition for them; or that a failed cut left bound. */
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

/** Makes what is missing ahead of now. Says which partitions it made. */
export async function makeAhead(
  db: Store,
  { tables, longest }: Family,
  now: Date,
  sizes: Sizes = SIZES,
): Promise<string[]> {
  const listed = await Promise.all(tables.map(({ name }) => listPartitions(db, name)))
  const isWhole = listed.every((partitions) => partitions.length <= 1)
  // Those that are being written; the others are as large as they will be.
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

/** What the largest table of the family takes a day. Of the first partition nobody knows when it began. */
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

/** Null where there is enough ahead. */
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

/** What is in it is looked at first, while others go on writing: then the cut takes no time. */
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
    // A bound that stayed would one day refuse rows.
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

/** Partitions that hold nothing younger, the oldest first. Says which. */
export async function dropBefore(db: Store, family: Family, moment: Date): Promise<string[]> {
  const dropped: string[] = []
  for (const { name, prefix } of family.tables) {
    const bound = idFloor(prefix, moment)
    const past = (await listPartitions(db, name)).filter(({ to }) => to !== null && to <= bound)
    for (const one of past) {
      await db.transaction((tx) => dropPartition(tx, one.name), BRIEFLY)
      dropped.push(one.name)
    }
  }
  return dropped
}
