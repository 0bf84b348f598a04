// Distributes the tables over the workers of a Citus cluster: all data of an account is on one worker; large
// tables that are read before the account is known are distributed by their own key; the rest stays on the
// coordinator. It can be repeated, and every migration ends with it, so new tables are distributed too.

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
/** The first table; the others are colocated with it. */
const FIRST = 'accounts'
/**
 * Tables whose key does not show their distribution column. Null: on the coordinator
 * (docs/decisions/0074-citus.md).
 */
const OWN_PLACES: Readonly<Record<string, string | null>> = {
  carrier_ids: TENANT_COLUMN, // without a key
  media: 'id', // found by it, a public address; files have the most bytes of all
  forwarding_stops: null, // processes that handle phone calls follow it, and must need no worker
  prices: null, // general prices are read with an account's own, which must need no worker
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

/** Null if the database has no Citus. */
export async function distribute(
  db: Store,
  onTable: (done: number, total: number) => void = () => {},
): Promise<Layout | null> {
  const version = await findCitusVersion(db)
  if (version === null) return null
  const total = waitingTables(await listTables(db, TENANT_COLUMN)).length
  const placed: string[] = []
  for (let one = await placeNext(db); one; one = await placeNext(db)) {
    placed.push(one)
    onTable(placed.length, total)
  }
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

/** One table per transaction, one node at a time. Null when all are distributed. */
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

function waitingTables(tables: readonly PlacedTable[]): PlacedTable[] {
  return tables.filter((table) => (columnOf(table) !== null) !== table.isDistributed)
}

/** A table whose references lead only to tables that are already distributed. */
function nextTable(tables: readonly PlacedTable[]): PlacedTable | null {
  const waiting = waitingTables(tables)
  const names = new Set(waiting.map(({ name }) => name))
  const first = waiting.find(({ name }) => name === FIRST)
  if (first) return first
  const isReady = ({ name, refersTo }: PlacedTable) =>
    refersTo.every((other) => other === name || !names.has(other))
  return waiting.find(isReady) ?? null
}
