// What an action changed, field by field, without unchanged fields.

export interface Difference {
  name: string
  /** Null if there was no value. */
  before: string | null
  after: string | null
}

type Fields = Record<string, unknown> | null

export function differenceOf(before: Fields, after: Fields): Difference[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  names.delete('submittedAt') // not part of the change
  return [...names].flatMap((name) => {
    const [earlier, later] = [wordsOf(before?.[name]), wordsOf(after?.[name])]
    return earlier === later ? [] : [{ name, before: earlier, after: later }]
  })
}

/** Lists and groups on one line, without empty values. */
function wordsOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (Array.isArray(value)) return value.map((one) => wordsOf(one) ?? '').join(', ') || null
  if (typeof value !== 'object') return String(value)
  const pairs = Object.entries(value).flatMap(([name, one]) => {
    const words = wordsOf(one)
    return words === null ? [] : [`${name}: ${words}`]
  })
  return pairs.join(', ') || null
}
