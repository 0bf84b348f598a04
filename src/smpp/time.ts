// Times in SMPP's format: `YYMMDDhhmmsstnnp`, absolute with the UTC offset in quarter hours, or relative with an R.

const RELATIVE_MAX_S = 63 * 24 * 60 * 60

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** The time from now as a validity_period, at most the 63 days that GSM networks support. */
export function relativeTime(seconds: number): string {
  const whole = Math.min(Math.max(1, Math.ceil(seconds)), RELATIVE_MAX_S)
  const days = Math.floor(whole / 86_400)
  const hours = Math.floor(whole / 3_600) % 24
  const minutes = Math.floor(whole / 60) % 60
  // Days go up to 31, so months of 30 days hold the rest.
  const fields = [0, Math.floor(days / 30), days % 30, hours, minutes, whole % 60]
  return `${fields.map(twoDigits).join('')}000R`
}

export function absoluteTime(at: Date): string {
  return `${at.toISOString().slice(2, 19).replaceAll(/\D/g, '')}000+`
}

const TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d)(\d\d)([+\-R])$/

/** The absolute time, relative to now. Null: no time, which the specification leaves to the receiver. */
export function readTime(text: string, now: Date): Date | null {
  const match = TIME.exec(text)
  if (!match) return null
  const [year, month, day, hour, minute, second, tenth, quarters] = match
    .slice(1, 9)
    .map(Number) as [number, number, number, number, number, number, number, number]
  if (match[9] === 'R') {
    const days = year * 365 + month * 30 + day
    const seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    return new Date(now.getTime() + seconds * 1_000)
  }
  const local = Date.UTC(2000 + year, month - 1, day, hour, minute, second, tenth * 100)
  const offset = quarters * 15 * 60_000
  return new Date(match[9] === '+' ? local - offset : local + offset)
}
