// Lays the tables out over the machines of a Citus cluster: what belongs to an account lies on one of them, all of it
// together; what is large and found before an account is known is spread by its own key; the rest stays on the
// coordinator. It may be repeated, and every migration ends with it, so new tables find their place.

import type { Store, Transaction } from './db.js'
import {
  countWorkers,
  distributeTable,
  findCitusVersion,
  listTables,
  type PlacedTable,
  undistributeTable,
} from './distribution-queries.js'
import { lockMigrations } from './migration-queries.js'

const TENANT_COLUMN = 'account_id'
/** The first; the others lie beside it. */
const FIRST = 'accounts'
/** Tables whose key does not tell it: by which column. Null: on the coordinator (docs/decisions/0074-citus.md). */
const OWN_PLACES: Readonly<Record<string, string | null>> = {
  media: 'id', // found by it, a public address; files have the most bytes of all
  forwarding_stops: null, // nodes that answer calls follow it, and must need no worker
  prices: null, // everybody's is read beside an account's own, which must need no worker
}

export interface Layout {
  version: string
  workers: number
  /** Given to Citus just now. */
  placed: string[]
  distributed: string[]
  byOwnKey: string[]
  local: string[]
}

/** Null where the database has no Citus. */
export async function distribute(db: Store): Promise<Layout | null> {
  const version = await findCitusVersion(db)
  if (version === null) return null
  const placed: string[] = []
  for (let one = await placeNext(db); one; one = await placeNext(db)) placed.push(one)
  const tables = await listTables(db, TENANT_COLUMN)
  const namesOf = (isMeant: (column: string | null) => boolean) =>
    tables.filter((table) => isMeant(columnOf(table))).map(({ name }) => name)
  return {
    version,
    workers: await countWorkers(db),
    placed,
    distributed: namesOf((column) => column === TENANT_COLUMN),
    byOwnKey: namesOf((column) => column !== TENANT_COLUMN && column !== null),
    local: namesOf((column) => column === null),
  }
}

function columnOf({ name, isTenants }: PlacedTable): string | null {
  const own = OWN_PLACES[name]
  return own === undefined ? (isTenants ? TENANT_COLUMN : null) : own
}

/** One table in a transaction, one node at a time. Null when all have their place. */
function placeNext(db: Store): Promise<string | null> {
  return db.transaction(async (tx) => {
    await lockMigrations(tx)
    const next = nextTable(await listTables(tx, TENANT_COLUMN))
    if (next) await place(tx, next)
    return next?.name ?? null
  })
}

async function place(tx: Transaction, table: PlacedTable): Promise<void> {
  const column = columnOf(table)
  if (column === null) return undistributeTable(tx, table.name)
  const isFirstOfItsKind = column !== TENANT_COLUMN || table.name === FIRST
  await distributeTable(tx, table.name, column, isFirstOfItsKind ? null : FIRST)
}

/** One whose references lead to tables that have their place already. */
function nextTable(tables: readonly PlacedTable[]): PlacedTable | null {
  const waiting = tables.filter((table) => (columnOf(table) !== null) !== table.isDistributed)
  const names = new Set(waiting.map(({ name }) => name))
  const first = waiting.find(({ name }) => name === FIRST)
  if (first) return first
  const isReady = ({ name, refersTo }: PlacedTable) =>
    refersTo.every((other) => other === name || !names.has(other))
  return waiting.find(isReady) ?? null
}
