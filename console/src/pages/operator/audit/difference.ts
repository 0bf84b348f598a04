// What an act changed, field by field. What stayed as it was is left out.

export interface Difference {
  name: string
  /** Null where there was nothing. */
  before: string | null
  after: string | null
}

type Fields = Record<string, unknown> | null

export function differenceOf(before: Fields, after: Fields): Difference[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  names.delete('submittedAt') // since when it waited: nothing that the act changed
  return [...names].flatMap((name) => {
    const [former, latter] = [wordsOf(before?.[name]), wordsOf(after?.[name])]
    return former === latter ? [] : [{ name, before: former, after: latter }]
  })
}

/** Lists and groups in one line; what is empty is left out. */
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
