// Keeps the planner's statistics up to date for small tables that grow. Statements are planned once per
// connection. Autovacuum runs once a minute, and a service that starts empty can write a hundred thousand
// rows in that time, all with plans made for empty tables. New statistics make PostgreSQL plan again. A queue
// that was empty when it was vacuumed fills again without growing in bytes: there, rows count.

import { analyzeTable, findTableSizes, type TableSize } from './statistics-queries.js'
import type { Loop } from './worker-loop.js'
import type { World } from './world.js'

const GROWTH = 4
const BYTES_MIN = 64 * 1024
const ROWS_MIN = 500
/** Above this size a table is no longer small, and autovacuum is enough. */
const BYTES_MAX = 4 * 1024 * 1024 * 1024

export function plannerStatisticsLoop({ db, log }: World, tables: readonly string[]): Loop {
  const analyzedBytes = new Map<string, number>()
  return {
    name: 'planner statistics',
    idleMs: 2_000,
    onError: (error) => log.warn({ err: error }, 'refreshing statistics failed'),
    step: async () => {
      for (const table of await findTableSizes(db, tables)) {
        const { name, isAnalyzed } = table
        const size = Number(table.bytes)
        const last = analyzedBytes.get(name) ?? (isAnalyzed ? size : 0)
        const hasGrown = size >= BYTES_MIN && size <= BYTES_MAX && size >= last * GROWTH
        if ((hasGrown && size > last) || hasFilled(table)) await analyzeTable(db.patient, name)
        analyzedBytes.set(name, hasGrown ? size : last)
      }
      return 0
    },
  }
}

function hasFilled({ bytes, rows, plannedRows }: TableSize): boolean {
  const isSmall = Number(bytes) <= BYTES_MAX
  return isSmall && plannedRows !== null && rows >= ROWS_MIN && Number(rows) >= plannedRows * GROWTH
}
