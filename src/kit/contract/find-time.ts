// The one parser of times, for requests and the command line. It loads nothing else. A time that a Date or the
// database cannot store (a leap second, February 30, a year before 1) is refused like any other invalid text.

export const TIME_LENGTH_MAX = 40

const FORM =
  /^(\d{4}-\d\d-\d\d)[t\s](\d\d:\d\d:\d\d)(\.\d+)?(?:z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/i
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

export function findTime(text: string): Date | null {
  if (text.length > TIME_LENGTH_MAX) return null
  const [, day, clock, fraction = '', sign, hours = '0', minutes = '0'] = FORM.exec(text) ?? []
  const there = new Date(`${day}T${clock}${fraction}Z`)
  // Date reads February 30 as March 2, and 24:00 as the next day.
  if (Number.isNaN(there.getTime()) || there.toISOString().slice(0, 10) !== day) return null
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  const ms = there.getTime() - (sign === '-' ? -offsetMs : offsetMs)
  return ms < FIRST_MS || ms > LAST_MS ? null : new Date(ms)
}
