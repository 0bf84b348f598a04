// Message ids of carriers, which some write one way in the answer to a submit and another way in the receipt:
// in hex here and in decimal there, with leading zeros or without, in upper case or lower.

/** How a carrier writes its ids, where its link knows. */
export type IdForm = 'as_written' | 'decimal' | 'hex'

const DECIMAL = /^\d{1,19}$/
const HEX = /^[0-9a-f]{1,16}$/i
const DECIMAL_WIDTH = 10
const HEX_WIDTH = 8

/** One spelling for ids of answers and of receipts; what is no number of that form stays as it is. */
export function normalId(id: string, form: IdForm): string {
  const written = id.trim()
  if (form === 'decimal' && DECIMAL.test(written)) return BigInt(written).toString()
  if (form === 'hex' && HEX.test(written)) return BigInt(`0x${written}`).toString()
  return written
}

/**
 * Every spelling under which an answer may have named this id, the likeliest first: as it is written, then
 * with other zeros and another case, then as the other kind of number.
 */
export function idCandidates(id: string): string[] {
  const written = id.trim()
  if (written === '') return []
  const found = new Set([written, written.toLowerCase(), written.toUpperCase()])
  const add = (...forms: string[]) => {
    for (const form of forms) found.add(form)
  }
  const isDecimal = DECIMAL.test(written)
  const isHex = HEX.test(written)
  if (isDecimal) {
    const plain = BigInt(written).toString()
    add(plain, plain.padStart(DECIMAL_WIDTH, '0'))
  }
  if (isHex) add(...hexForms(BigInt(`0x${written}`)))
  if (isDecimal) add(...hexForms(BigInt(written)))
  if (isHex) {
    const decimal = BigInt(`0x${written}`).toString()
    add(decimal, decimal.padStart(DECIMAL_WIDTH, '0'))
  }
  return [...found]
}

function hexForms(value: bigint): string[] {
  const plain = value.toString(16)
  const padded = plain.padStart(HEX_WIDTH, '0')
  return [plain, plain.toUpperCase(), padded, padded.toUpperCase()]
}
