// Lays the tables out over the machines of a Citus cluster: what belongs to an account lies on one of them, all of it
// together; the rest, which is found before an account is known or belongs to none, stays on the coordinator. It may
// be repeated, and every migration ends with it, so new tables find their place.

import type { Store } from './db.js'
import {
  countWorkers,
  distributeTable,
  findCitusVersion,
  listTables,
  type PlacedTable,
} from './distribution-queries.js'
import { lockMigrations } from './migration-queries.js'

const TENANT_COLUMN = 'account_id'
/** The first; the others lie beside it. */
const FIRST = 'accounts'

export interface Layout {
  version: string
  workers: number
  /** Given to Citus just now. */
  placed: string[]
  distributed: string[]
  local: string[]
}

/** Null where the database has no Citus. */
export async function distribute(db: Store): Promise<Layout | null> {
  const version = await findCitusVersion(db)
  if (version === null) return null
  const placed: string[] = []
  for (let one = await placeNext(db); one; one = await placeNext(db)) placed.push(one)
  const tables = await listTables(db, TENANT_COLUMN)
  const namesOf = (isDistributed: boolean) =>
    tables.filter((table) => table.isDistributed === isDistributed).map(({ name }) => name)
  const workers = await countWorkers(db)
  return { version, workers, placed, distributed: namesOf(true), local: namesOf(false) }
}

/** One table in a transaction, one node at a time. Null when all have their place. */
function placeNext(db: Store): Promise<string | null> {
  return db.transaction(async (tx) => {
    await lockMigrations(tx)
    const next = nextTable(await listTables(tx, TENANT_COLUMN))
    if (next) await distributeTable(tx, next, TENANT_COLUMN, next === FIRST ? null : FIRST)
    return next
  })
}

/** One whose references lead to tables that have their place already. */
function nextTable(tables: readonly PlacedTable[]): string | null {
  const waiting = tables.filter(({ isTenants, isDistributed }) => isTenants && !isDistributed)
  const names = new Set(waiting.map(({ name }) => name))
  if (names.has(FIRST)) return FIRST
  const isReady = ({ name, refersTo }: PlacedTable) =>
    refersTo.every((other) => other === name || !names.has(other))
  return waiting.find(isReady)?.name ?? null
}
