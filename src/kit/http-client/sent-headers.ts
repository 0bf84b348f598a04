// The headers of a request on the wire: the caller's, and those that the client adds.

/** A compressed body could expand to any size, and nothing here would expand it. */
export const OWN_HEADERS = { 'accept-encoding': 'identity' } as const

/** For a request over HTTP/1.1, in the order in which http-client.ts writes them. `bodyBytes` is null without a body. */
export function sentHeaders(
  url: string,
  headers: Record<string, string>,
  bodyBytes: number | null,
): [name: string, value: string][] {
  return [
    ['host', new URL(url).host],
    ['connection', 'keep-alive'],
    ...Object.entries({ ...headers, ...OWN_HEADERS }),
    ...(bodyBytes === null ? [] : [['content-length', String(bodyBytes)] as [string, string]]),
  ]
}
