// Calendar months in UTC, where every day has 24 hours and no month begins twice.

export interface Month {
  /** 2026-11 */
  name: string
  start: Date
  /** The start of the next month. */
  end: Date
}

export function startOfMonth(moment: Date): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), 1))
}

/** Null if it is not a month of the years 2000 to 9999. */
export function readMonth(name: string): Month | null {
  const match = /^([2-9]\d{3})-(0[1-9]|1[0-2])$/.exec(name)
  if (!match) return null
  const [year, month] = [Number(match[1]), Number(match[2])]
  return {
    name,
    start: new Date(Date.UTC(year, month - 1, 1)),
    end: new Date(Date.UTC(year, month, 1)),
  }
}
