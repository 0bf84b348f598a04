// The operator adds numbers to the inventory and removes them. Each request, or file on the command line, is all or
// nothing: with one invalid row nothing changes, so the corrected rows can simply be imported again.

import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { type FieldProblem, Refusal } from '../../kit/contract/refusal.js'
import { toDollars } from '../../kit/money.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { updateHosts } from '../../numbers/hosting-queries.js'
import {
  addToInventory,
  countStock,
  findKnownNumbers,
  withdrawFromInventory,
} from '../../numbers/inventory-queries.js'
import { plural } from '../../text/plural.js'
import { PROBLEMS_MAX, type ReadCsv } from './number-csv.js'

// Large enough that the number of statements does not matter, small enough for the statement size.
const CHUNK = 2_000

export interface StockOptions {
  /** Called after each batch, for a progress bar. */
  onProgress?: (done: number, total: number) => void
  /** What to do about numbers already for sale. A large file comes in parts, and a part can come twice. */
  existing?: 'refuse' | 'skip'
}

export interface Imported {
  /** Numbers newly put up for sale. */
  imported: number
  /** Numbers already for sale. */
  skipped: number
}

/** The file is read before the transaction begins, because the database ends a transaction that waits for its client. */
export async function importNumbers(
  tx: Transaction,
  actor: Actor,
  { rows, problems: unreadable }: ReadCsv,
  now: Date,
  { onProgress, existing = 'refuse' }: StockOptions = {},
): Promise<Imported> {
  const problems = [...unreadable]
  let skipped = 0
  for (let at = 0; at < rows.length; at += CHUNK) {
    const portion = rows.slice(at, at + CHUNK)
    const numbers = portion.map((row) => row.number)
    const existingNumbers = await findKnownNumbers(tx, numbers)
    const isSkipped = (number: string) =>
      existing === 'skip' && existingNumbers.get(number) === 'for_sale'
    for (const { row, number } of portion) {
      const where = existingNumbers.get(number)
      if (where && !isSkipped(number))
        problems.push({ row, problem: existingProblem(number, where) })
    }
    if (problems.length >= PROBLEMS_MAX) break
    if (problems.length > 0) continue
    const fresh = portion.filter(({ number }) => !isSkipped(number))
    skipped += portion.length - fresh.length
    const added = await addToInventory(tx, fresh)
    if (added !== fresh.length) {
      throw new Refusal(
        'number_state',
        'The inventory changed during the import. Import the file again.',
      )
    }
    onProgress?.(Math.min(at + CHUNK, rows.length), rows.length)
  }
  problems.sort((a, b) => a.row - b.row)
  refuseProblems(problems.map(({ row, problem }) => ({ field: `row ${row}`, problem })))
  const imported = rows.length - skipped
  if (imported === 0) return { imported, skipped }
  const after = { count: imported, first: rows[0]!.number, last: rows.at(-1)!.number }
  await keep(tx, actor, 'number.import', { before: null, after }, now)
  return { imported, skipped }
}

export async function withdrawNumbers(
  tx: Transaction,
  actor: Actor,
  numbers: readonly string[],
  now: Date,
): Promise<number> {
  const unique = [...new Set(numbers)]
  const gone = await withdrawFromInventory(tx, unique)
  const missing = unique.filter((number) => !gone.has(number))
  const existing = missing.length === 0 ? new Map() : await findKnownNumbers(tx, missing)
  const positions = new Map(numbers.map((number, i) => [number, i]))
  refuseProblems(
    missing.map((number) => ({
      field: `numbers[${positions.get(number)}]`,
      problem:
        existing.get(number) === 'taken'
          ? `${number} is in use by a campaign. Release it first`
          : `${number} is not for sale`,
    })),
  )
  await keep(tx, actor, 'number.withdraw', { before: { numbers: unique }, after: null }, now)
  return unique.length
}

/** Sets which links host inventory numbers, in use or for sale. Null: no specific links. */
export async function stateHosts(
  tx: Transaction,
  actor: Actor,
  { numbers, hosts }: { numbers: readonly string[]; hosts: readonly string[] | null },
  now: Date,
): Promise<number> {
  const unique = [...new Set(numbers)]
  const stated = await updateHosts(tx, unique, hosts)
  refuseProblems(
    unique
      .filter((number) => !stated.has(number))
      .map((number) => ({
        field: number,
        problem: 'is not in your inventory. Numbers bought from a provider are hosted there',
      })),
  )
  await keep(tx, actor, 'number.hosts', { before: null, after: { numbers: unique, hosts } }, now)
  return unique.length
}

export async function readStock(db: Queryable) {
  const areas = await countStock(db)
  const sum = (of: 'forSale' | 'taken') => areas.reduce((total, area) => total + area[of], 0)
  return {
    forSale: sum('forSale'),
    taken: sum('taken'),
    areaCodes: areas.map(({ cheapestMicros, ...area }) => ({
      ...area,
      monthlyPriceFrom: cheapestMicros === null ? null : toDollars(cheapestMicros),
    })),
  }
}

function existingProblem(number: string, where: 'for_sale' | 'taken'): string {
  return where === 'taken' ? `${number} is in use by a campaign` : `${number} is already for sale`
}

// In file order.
function refuseProblems(problems: readonly FieldProblem[]): void {
  const [first] = problems
  if (!first) return
  const more = problems.length >= PROBLEMS_MAX ? 'at least ' : ''
  const count = `${more}${plural(problems.length, 'row')} cannot be used`
  throw new Refusal(
    'numbers_unusable',
    `Nothing was changed, because ${count}. ${first.field}: ${first.problem}`,
    problems.slice(0, PROBLEMS_MAX),
  )
}

async function keep(
  tx: Transaction,
  actor: Actor,
  act: 'number.import' | 'number.withdraw' | 'number.hosts',
  change: { before: object | null; after: object | null },
  now: Date,
): Promise<void> {
  await recordAct(tx, actor, { act, accountId: null, subject: null, ...change }, now)
}
