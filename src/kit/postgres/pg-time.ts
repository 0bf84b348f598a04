// Times as PostgreSQL writes them. The driver reads every form, at a microsecond each, and our rows have half
// a dozen of them. Times in UTC have one form.

const LENGTH_WITHOUT_FRACTION = '2026-11-15 09:30:07'.length

/** The text of a timestamptz, to the millisecond. Null if it has another form. */
export function readUtcTime(text: string): Date | null {
  const isUsual = text.endsWith('+00') && text.charCodeAt(4) === DASH && text.charCodeAt(0) !== ZERO
  if (!isUsual) return null
  const number = (from: number, to: number) => {
    let value = 0
    for (let i = from; i < to; i += 1) value = value * 10 + text.charCodeAt(i) - ZERO
    return value
  }
  const end = text.length - '+00'.length
  const digits = Math.min(3, end - LENGTH_WITHOUT_FRACTION - 1)
  const from = LENGTH_WITHOUT_FRACTION + 1
  const ms = digits > 0 ? number(from, from + digits) * 10 ** (3 - digits) : 0
  return new Date(
    Date.UTC(
      number(0, 4),
      number(5, 7) - 1,
      number(8, 10),
      number(11, 13),
      number(14, 16),
      number(17, 19),
      ms,
    ),
  )
}

const DASH = '-'.charCodeAt(0)
const ZERO = '0'.charCodeAt(0)
