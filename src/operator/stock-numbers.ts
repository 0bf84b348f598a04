// The inventory as the operator fills and empties it. All or nothing: one bad row, and nothing is
// changed, so that a mended file can simply be given again.

import type { Actor } from '../accounts/audit.js'
import { recordAct } from '../accounts/audit-queries.js'
import type { Transaction } from '../kit/db.js'
import { type FieldProblem, Refusal } from '../kit/refusal.js'
import {
  addToInventory,
  findKnownNumbers,
  withdrawFromInventory,
} from '../numbers/inventory-queries.js'
import { readNumberCsv } from './number-csv.js'

// Large enough that the number of statements does not matter, small enough for the driver's text.
const CHUNK = 2_000
/** Somebody who gave the wrong file need not be told a hundred thousand times. */
const PROBLEMS_MAX = 1_000

export interface StockOptions {
  /** Told after each portion, for a progress bar. */
  onProgress?: (done: number, total: number) => void
}

/** Says how many numbers are for sale now that were not before: all rows of the file. */
export async function importNumbers(
  tx: Transaction,
  actor: Actor,
  csv: string,
  now: Date,
  { onProgress }: StockOptions = {},
): Promise<number> {
  const { rows, problems } = readNumberCsv(csv)
  for (let at = 0; at < rows.length; at += CHUNK) {
    const portion = rows.slice(at, at + CHUNK)
    const numbers = portion.map((row) => row.number)
    const known = await findKnownNumbers(tx, numbers)
    for (const { row, number } of portion) {
      const where = known.get(number)
      if (where) problems.push({ field: `row ${row}`, problem: knownProblem(number, where) })
    }
    if (problems.length > 0) continue
    const added = await addToInventory(tx, portion)
    if (added !== portion.length) {
      throw new Refusal('number_state', 'The inventory was changed meanwhile: import again')
    }
    onProgress?.(Math.min(at + CHUNK, rows.length), rows.length)
  }
  refuseProblems(problems)
  const after = { count: rows.length, first: rows[0]!.number, last: rows.at(-1)!.number }
  await keep(tx, actor, 'number.import', { before: null, after }, now)
  return rows.length
}

export async function withdrawNumbers(
  tx: Transaction,
  actor: Actor,
  numbers: readonly string[],
  now: Date,
): Promise<number> {
  const wanted = [...new Set(numbers)]
  const gone = await withdrawFromInventory(tx, wanted)
  const missing = wanted.filter((number) => !gone.has(number))
  const known = missing.length === 0 ? new Map() : await findKnownNumbers(tx, missing)
  refuseProblems(
    missing.map((number) => ({
      field: `numbers[${numbers.indexOf(number)}]`,
      problem:
        known.get(number) === 'held'
          ? `${number} is held by a campaign: it must be released first`
          : `${number} is not for sale`,
    })),
  )
  await keep(tx, actor, 'number.withdraw', { before: { numbers: wanted }, after: null }, now)
  return wanted.length
}

function knownProblem(number: string, where: 'for_sale' | 'held'): string {
  return where === 'held' ? `${number} is held by a campaign` : `${number} is for sale already`
}

function refuseProblems(problems: FieldProblem[]): void {
  if (problems.length === 0) return
  const rank = ({ field }: FieldProblem) => Number(/\d+/.exec(field)?.[0])
  const sorted = problems.sort((a, b) => rank(a) - rank(b))
  const count = `${problems.length} ${problems.length === 1 ? 'row' : 'rows'} cannot be used`
  const first = `${sorted[0]!.field}: ${sorted[0]!.problem}`
  throw new Refusal(
    'numbers_unusable',
    `Nothing was changed, because ${count}. ${first}`,
    sorted.slice(0, PROBLEMS_MAX),
  )
}

async function keep(
  tx: Transaction,
  actor: Actor,
  act: 'number.import' | 'number.withdraw',
  change: { before: object | null; after: object | null },
  now: Date,
): Promise<void> {
  await recordAct(tx, actor, { act, accountId: null, subject: null, ...change }, now)
}
