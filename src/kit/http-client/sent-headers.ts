// The headers of a request as they leave: those of the caller, and the client's own around them.

/** A compressed body could unfold to any size, and nobody here would unfold it. */
export const OWN_HEADERS = { 'accept-encoding': 'identity' } as const

/** Of a request with a body, over HTTP/1.1, in the order in which undici writes them. */
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
