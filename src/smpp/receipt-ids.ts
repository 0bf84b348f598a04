// Matches carriers' message IDs. Some carriers write an ID one way in the submit response and another way in the
// receipt: hex or decimal, with or without leading zeros, in upper or lower case.

/** How a carrier writes its IDs, if the link's settings say so. */
export type IdForm = 'as_written' | 'decimal' | 'hex'

const DECIMAL = /^\d{1,19}$/
const HEX = /^[0-9a-f]{1,16}$/i
const DECIMAL_WIDTH = 10
const HEX_WIDTH = 8

/** One spelling for the IDs of responses and receipts. An ID that is not a number of that form stays as it is. */
export function normalId(id: string, form: IdForm): string {
  const written = id.trim()
  if (form === 'decimal' && DECIMAL.test(written)) return BigInt(written).toString()
  if (form === 'hex' && HEX.test(written)) return BigInt(`0x${written}`).toString()
  return written
}

/**
 * Every spelling that the submit response may have used for this ID, most likely first: as written, then with
 * other zeros and another case, then as the other kind of number.
 */
export function idCandidates(id: string): string[] {
  const written = id.trim()
  if (written === '') return []
  const found = [written]
  addNew(found, written.toLowerCase())
  addNew(found, written.toUpperCase())
  const decimal = DECIMAL.test(written) ? numberOf(written) : null
  const hex = HEX.test(written) ? numberOf(`0x${written}`) : null
  if (decimal !== null) addDecimal(found, decimal)
  if (hex !== null) addHex(found, hex)
  if (decimal !== null) addHex(found, decimal)
  if (hex !== null) addDecimal(found, hex)
  return found
}

/** Both are written the same way. A number is cheaper than a bigint, and most IDs are small. */
function numberOf(written: string): number | bigint {
  const number = Number(written)
  return Number.isSafeInteger(number) ? number : BigInt(written)
}

function addDecimal(found: string[], value: number | bigint): void {
  const plain = value.toString()
  addNew(found, plain)
  if (plain.length < DECIMAL_WIDTH) addNew(found, plain.padStart(DECIMAL_WIDTH, '0'))
}

function addHex(found: string[], value: number | bigint): void {
  const plain = value.toString(16)
  addNew(found, plain)
  addNew(found, plain.toUpperCase())
  if (plain.length >= HEX_WIDTH) return
  const padded = plain.padStart(HEX_WIDTH, '0')
  addNew(found, padded)
  addNew(found, padded.toUpperCase())
}

function addNew(found: string[], form: string): void {
  if (!found.includes(form)) found.push(form)
}
