// The CPU time of a service and its database in microseconds, summed over all threads from the scheduler's counters,
// because hundredths of a second are too coarse for short rounds.

import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'

/** CPU time used so far, by process. */
export type Used = ReadonlyMap<number, number>

export function usedBy(pids: readonly number[]): Used {
  return new Map(pids.map((pid) => [pid, usOf(pid)]))
}

/** The service's connections to this database, without the bench's own and the server's background work. */
export async function usedByDatabase(db: Database): Promise<Used> {
  const rows = await db.query<{ pid: number }>(sql`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and application_name <> 'bench'`)
  return usedBy(rows.map(({ pid }) => pid))
}

/** CPU time since `before`. A process that did not exist then counts from its start. */
export function spent(before: Used, after: Used): number {
  let us = 0
  for (const [pid, used] of after) us += used - (before.get(pid) ?? 0)
  return us
}

function usOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const ns = threads.map((thread) => {
      const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
      return Number(text.split(' ')[0])
    })
    return ns.reduce((sum, one) => sum + one, 0) / 1000
  } catch {
    return 0 // ended meanwhile
  }
}
