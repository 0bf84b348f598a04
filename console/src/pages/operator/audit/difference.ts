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

function wordsOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
