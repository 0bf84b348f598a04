// Parses a CSV file of numbers for sale and reports errors by row. It yields while reading a large file, so other
// requests are not delayed. stock-numbers.ts checks the rest in the database.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { echo } from '../../kit/contract/refusal.js'
import { parseDollars } from '../../kit/money.js'
import { AREA_CODES } from '../../numbers/area-codes.js'
import type { InventoryNumber } from '../../numbers/number.js'
import { areaCodeOf, canExist, isE164, isTollFree, numberProblem } from '../../text/phone-number.js'
import { plural } from '../../text/plural.js'

const COLUMNS = ['number', 'monthlyPrice', 'location', 'hosts'] as const
type Column = (typeof COLUMNS)[number]
const REQUIRED: readonly Column[] = ['number', 'monthlyPrice']

const PRICE_MICROS_MAX = 10_000_000_000n
const CELLS_MAX = 20
const LINES_AT_ONCE = 500
/** A wrong file must not produce a hundred thousand error lines. */
export const PROBLEMS_MAX = 1_000

interface NumberRow extends InventoryNumber {
  /** The line in the file; the header is line 1. */
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

/** Stops after the last problem that is reported. */
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
    read.problems.push({ row: 2, problem: 'there are no numbers below the header' })
  }
  return read
}

function checkHeading(names: readonly string[]): string | null {
  const unknown = names.find((name) => !(COLUMNS as readonly string[]).includes(name))
  const missing = REQUIRED.find((name) => !names.includes(name))
  if (unknown === undefined && missing === undefined && new Set(names).size === names.length) {
    return null
  }
  return `the header must contain the columns ${REQUIRED.join(', ')}, and optionally location and hosts`
}

/** The number, or the problem with the row. */
function readRow(
  names: readonly string[],
  cells: readonly string[],
  firstRows: ReadonlyMap<string, number>,
): InventoryNumber | string {
  if (cells.length !== names.length) {
    return `has ${plural(cells.length, 'field')}, but the header has ${names.length}`
  }
  const cell = (name: Column): string => cells[names.indexOf(name)]?.trim() ?? ''
  const number = cell('number')
  if (!isE164(number)) return `"${echo(number)}" ${numberProblem(number)}`
  if (isTollFree(number)) return `${number} is toll-free. Toll-free numbers cannot be sold`
  if (!canExist(number))
    return `${number} is not a valid number in the North American numbering plan`
  const firstRow = firstRows.get(number)
  if (firstRow !== undefined) return `${number} is already in row ${firstRow}`
  const monthlyPriceMicros = parseDollars(cell('monthlyPrice'))
  if (monthlyPriceMicros === null || monthlyPriceMicros < 0n) {
    return `monthlyPrice "${echo(cell('monthlyPrice'))}" must be an amount in dollars, for example 1.00`
  }
  if (monthlyPriceMicros > PRICE_MICROS_MAX) return 'monthlyPrice must be at most $10,000'
  const areaCode = areaCodeOf(number)
  const location = cell('location') || LOCATIONS.get(areaCode) || 'United States'
  const hosts = readHosts(cell('hosts'))
  if (hosts === 'unreadable') {
    return `hosts "${echo(cell('hosts'))}" must be names of carrier links, separated by spaces`
  }
  return { number, areaCode, location, monthlyPriceMicros, hosts }
}

const LINK_NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/
const HOSTS_MAX = 100

/** The links that can send from the number; null if none is given. */
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

// RFC 4180: quoted cells can contain commas, line breaks, and doubled quotes. None of our cells is longer than this. A
// single pattern for everything once took so much memory to compile that Node crashed.
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
    // A quote in the middle of a cell, or too many cells: the rest of the line becomes one cell, which is refused above.
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
  /** Position of its separator. */
  end: number
}

/** Null if no separator follows. */
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
