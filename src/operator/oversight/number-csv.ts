// Numbers for sale as a CSV file: what each row says, or what is wrong with it. A large file is read with
// pauses, in which others get their answers; stock-numbers.ts asks the database about the rest.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { echo } from '../../kit/contract/refusal.js'
import { parseDollars } from '../../kit/money.js'
import { AREA_CODES } from '../../numbers/area-codes.js'
import type { InventoryNumber } from '../../numbers/number.js'
import { areaCodeOf, canExist, isE164, isTollFree, numberProblem } from '../../text/phone-number.js'

const COLUMNS = ['number', 'monthlyPrice', 'location', 'hosts'] as const
type Column = (typeof COLUMNS)[number]
const REQUIRED: readonly Column[] = ['number', 'monthlyPrice']

const PRICE_MICROS_MAX = 10_000_000_000n
const CELLS_MAX = 20
const LINES_AT_ONCE = 500
/** Somebody who gave the wrong file need not read of it a hundred thousand times. */
export const PROBLEMS_MAX = 1_000

interface NumberRow extends InventoryNumber {
  /** The line of the file, the heading being 1. */
  row: number
}

interface RowProblem {
  row: number
  problem: string
}

export interface ReadCsv {
  rows: NumberRow[]
  problems: RowProblem[]
}

const LOCATIONS = new Map(AREA_CODES.map(({ code, location }) => [code, location]))

/** Goes no further than to the last problem that is reported. */
export async function readNumberCsv(text: string): Promise<ReadCsv> {
  const lines = splitCsv(text)
  const heading = lines.next().value
  const names = heading?.cells.map((cell) => cell.trim()) ?? []
  const headingProblem = checkHeading(names)
  if (headingProblem) return { rows: [], problems: [{ row: 1, problem: headingProblem }] }
  const read: ReadCsv = { rows: [], problems: [] }
  const firstRows = new Map<string, number>()
  let count = 0
  for (const { row, cells } of lines) {
    count += 1
    if (count % LINES_AT_ONCE === 0) await nextTurn()
    if (cells.length === 1 && cells[0]!.trim() === '') continue // an empty line
    const found = readRow(names, cells, firstRows)
    if (typeof found !== 'string') {
      firstRows.set(found.number, row)
      read.rows.push({ ...found, row })
      continue
    }
    read.problems.push({ row, problem: found })
    if (read.problems.length === PROBLEMS_MAX) break
  }
  if (read.rows.length + read.problems.length === 0) {
    read.problems.push({ row: 2, problem: 'there are no numbers below the heading' })
  }
  return read
}

function checkHeading(names: readonly string[]): string | null {
  const unknown = names.find((name) => !(COLUMNS as readonly string[]).includes(name))
  const missing = REQUIRED.find((name) => !names.includes(name))
  if (unknown === undefined && missing === undefined && new Set(names).size === names.length) {
    return null
  }
  return `the heading must name the columns ${REQUIRED.join(', ')} and, if wanted, location and hosts`
}

/** The number, or the sentence that says what is wrong. */
function readRow(
  names: readonly string[],
  cells: readonly string[],
  firstRows: ReadonlyMap<string, number>,
): InventoryNumber | string {
  if (cells.length !== names.length) {
    return `has ${cells.length} fields where the heading has ${names.length}`
  }
  const cell = (name: Column): string => cells[names.indexOf(name)]?.trim() ?? ''
  const number = cell('number')
  if (!isE164(number)) return `"${echo(number)}" ${numberProblem(number)}`
  if (isTollFree(number)) return `${number} is toll-free: such numbers cannot be sold`
  if (!canExist(number)) return `${number} cannot exist in the numbering plan`
  const firstRow = firstRows.get(number)
  if (firstRow !== undefined) return `${number} is in row ${firstRow} already`
  const monthlyPriceMicros = parseDollars(cell('monthlyPrice'))
  if (monthlyPriceMicros === null || monthlyPriceMicros < 0n) {
    return `monthlyPrice "${echo(cell('monthlyPrice'))}" is no amount in dollars such as 1.00`
  }
  if (monthlyPriceMicros > PRICE_MICROS_MAX) return 'monthlyPrice is over $10,000'
  const areaCode = areaCodeOf(number)
  const location = cell('location') || LOCATIONS.get(areaCode) || 'United States'
  const hosts = readHosts(cell('hosts'))
  if (hosts === 'unreadable') {
    return `hosts "${echo(cell('hosts'))}" must be names of carrier links with spaces between them`
  }
  return { number, areaCode, location, monthlyPriceMicros, hosts }
}

const LINK_NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/
const HOSTS_MAX = 100

/** The links that a number can be sent from; null where none is named. */
export function readHosts(text: string): string[] | null | 'unreadable' {
  const names = [...new Set(text.split(/[\s;,|]+/).filter((name) => name !== ''))]
  if (names.length === 0) return null
  return names.length <= HOSTS_MAX && names.every((name) => LINK_NAME.test(name))
    ? names
    : 'unreadable'
}

interface Line {
  row: number
  cells: string[]
}

// RFC 4180: cells may stand in quotes, and then hold commas, line ends and doubled quotes. No cell of
// ours is longer than that. One pattern for all of it once took so much memory to compile that Node gave up.
const CELL_LENGTH_MAX = 1_000
const PLAIN = /[^",\r\n]*/y
const REST = /[^\r\n]*/y

function* splitCsv(text: string): Generator<Line, undefined> {
  const source = text.replace(/^\uFEFF/, '')
  let at = 0
  let row = 1
  let nextRow = 1
  let cells: string[] = []
  while (at < source.length || cells.length > 0) {
    // A quote in the middle of a cell, or too many cells: the rest of the line is taken as it stands, and
    // refused above.
    const cell = (cells.length < CELLS_MAX && readCell(source, at)) || plainCell(REST, source, at)
    const separator = separatorAt(source, cell.end)
    cells.push(cell.text)
    nextRow += source.slice(at, cell.end + separator.length).split(/\r?\n|\r/).length - 1
    at = cell.end + separator.length
    if (separator === ',') continue
    yield { row, cells }
    row = nextRow
    cells = []
  }
}

interface Cell {
  text: string
  /** Where its separator is. */
  end: number
}

/** Null where no separator comes after it. */
function readCell(source: string, at: number): Cell | null {
  const cell = source[at] === '"' ? quotedCell(source, at + 1) : plainCell(PLAIN, source, at)
  const isWhole = cell && (cell.end === source.length || separatorAt(source, cell.end) !== '')
  return isWhole ? cell : null
}

function plainCell(pattern: RegExp, source: string, at: number): Cell {
  pattern.lastIndex = at
  const [text = ''] = pattern.exec(source) ?? []
  return { text, end: at + text.length }
}

function quotedCell(source: string, start: number): Cell | null {
  const last = Math.min(source.length, start + 2 * CELL_LENGTH_MAX)
  for (let at = start; at < last; at += 1) {
    if (source[at] !== '"') continue
    if (source[at + 1] === '"') at += 1
    else return { text: source.slice(start, at).replaceAll('""', '"'), end: at + 1 }
  }
  return null
}

function separatorAt(source: string, at: number): string {
  if (source[at] === '\r') return source[at + 1] === '\n' ? '\r\n' : '\r'
  return source[at] === ',' || source[at] === '\n' ? source[at]! : ''
}
