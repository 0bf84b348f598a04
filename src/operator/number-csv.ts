// Numbers for sale as a CSV file: what each row says, or what is wrong with it. Pure; import-numbers.ts
// asks the database about the rest.

import { parseDollars } from '../kit/money.js'
import type { FieldProblem } from '../kit/refusal.js'
import { AREA_CODES } from '../numbers/area-codes.js'
import type { InventoryNumber } from '../numbers/number.js'
import { areaCodeOf, canExist, isE164, isTollFree, numberProblem } from '../text/phone-number.js'

const COLUMNS = ['number', 'monthlyPrice', 'location'] as const
type Column = (typeof COLUMNS)[number]
const REQUIRED: readonly Column[] = ['number', 'monthlyPrice']

const PRICE_MICROS_MAX = 10_000_000_000n

export interface NumberRow extends InventoryNumber {
  /** The line of the file, the heading being 1. */
  row: number
}

export interface ReadCsv {
  rows: NumberRow[]
  problems: FieldProblem[]
}

const LOCATIONS = new Map(AREA_CODES.map(({ code, location }) => [code, location]))

export function readNumberCsv(text: string): ReadCsv {
  const [heading, ...lines] = splitCsv(text)
  const names = heading?.cells.map((cell) => cell.trim()) ?? []
  const headingProblem = checkHeading(names)
  if (headingProblem) return { rows: [], problems: [{ field: 'row 1', problem: headingProblem }] }
  const read: ReadCsv = { rows: [], problems: [] }
  const firstRows = new Map<string, number>()
  for (const { row, cells } of lines) {
    if (cells.length === 1 && cells[0]!.trim() === '') continue // an empty line
    const found = readRow(names, cells, firstRows)
    if (typeof found === 'string') read.problems.push({ field: `row ${row}`, problem: found })
    else {
      firstRows.set(found.number, row)
      read.rows.push({ ...found, row })
    }
  }
  if (read.rows.length + read.problems.length === 0) {
    read.problems.push({ field: 'row 2', problem: 'there are no numbers below the heading' })
  }
  return read
}

function checkHeading(names: readonly string[]): string | null {
  const unknown = names.find((name) => !(COLUMNS as readonly string[]).includes(name))
  const missing = REQUIRED.find((name) => !names.includes(name))
  if (unknown === undefined && missing === undefined && new Set(names).size === names.length) {
    return null
  }
  return `the heading must name the columns ${REQUIRED.join(', ')} and, if wanted, location`
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
  if (!isE164(number)) return `"${number}" ${numberProblem(number)}`
  if (isTollFree(number)) return `${number} is toll-free: such numbers cannot be sold`
  if (!canExist(number)) return `${number} cannot exist in the numbering plan`
  const firstRow = firstRows.get(number)
  if (firstRow !== undefined) return `${number} is in row ${firstRow} already`
  const monthlyPriceMicros = parseDollars(cell('monthlyPrice'))
  if (monthlyPriceMicros === null || monthlyPriceMicros < 0n) {
    return `monthlyPrice "${cell('monthlyPrice')}" is no amount in dollars such as 1.00`
  }
  if (monthlyPriceMicros > PRICE_MICROS_MAX) return 'monthlyPrice is over $10,000'
  const areaCode = areaCodeOf(number)
  const location = cell('location') || LOCATIONS.get(areaCode) || 'United States'
  return { number, areaCode, location, monthlyPriceMicros }
}

interface Line {
  row: number
  cells: string[]
}

// RFC 4180: cells may stand in quotes, and then hold commas, line ends and doubled quotes.
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y

function splitCsv(text: string): Line[] {
  const lines: Line[] = []
  const source = text.replace(/^\uFEFF/, '')
  let at = 0
  let row = 1
  let nextRow = 1
  let cells: string[] = []
  while (at < source.length || cells.length > 0) {
    CELL.lastIndex = at
    const match = CELL.exec(source)
    // A quote in the middle of a cell: the rest of the line is taken as it stands, and refused above.
    const taken = match ?? restOfLine(source, at)
    const end = taken[3] ?? ''
    cells.push(taken[1]?.replaceAll('""', '"') ?? taken[2] ?? '')
    at += taken[0]!.length
    nextRow += taken[0]!.split(/\r?\n|\r/).length - 1
    if (end === ',') continue
    lines.push({ row, cells })
    row = nextRow
    cells = []
  }
  return lines
}

function restOfLine(source: string, at: number): (string | undefined)[] {
  const [whole, text, end] = /^([^\r\n]*)(\r?\n|\r|$)/.exec(source.slice(at))!
  return [whole, undefined, text, end]
}
