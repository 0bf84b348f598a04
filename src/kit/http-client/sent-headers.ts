// The headers of a request on the wire: the caller's, and those that the client adds.

/** A compressed body could expand to any size, and nothing here would expand it. */
export const OWN_HEADERS = { 'accept-encoding': 'identity' } as const

/** For a request with a body over HTTP/1.1, in the order in which undici writes them. */
export function sentHeaders(
  url: string,
  headers: Record<string, string>,
  bodyBytes: number,
): [name: string, value: string][] {
  return [
    ['host', new URL(url).host],
    ['connection', 'keep-alive'],
    ...Object.entries({ ...headers, ...OWN_HEADERS }),
    ['content-length', String(bodyBytes)],
  ]
}
