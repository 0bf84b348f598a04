// The URL of a request: its path and the query parameters that are set.

export type Query = Record<string, string | number | boolean | null | undefined>

export function addressOf(path: string, query: Query = {}): string {
  const present = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  const text = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString()
  return text ? `${path}?${text}` : path
}
