// How the OpenID Connect library sends requests: through our client, with its limits on time and size, and without
// following redirects. The operator chose the identity provider, which may be on a private network.

import { createHttpClient } from '../kit/http-client/http-client.js'

const TIMEOUT_MS = 10_000
/** Of documents, keys, and tokens. The largest ones, key sets of big companies, have some tens of KiB. */
const RESPONSE_BYTES_MAX = 1024 * 1024
const CONNECTIONS_MAX = 4
/** These have no body, and Response refuses one. */
const WITHOUT_BODY = new Set([204, 205, 304])

interface FetchOptions {
  method: string
  headers: Record<string, string>
  body?: unknown
  signal?: AbortSignal | undefined
}

/** Like fetch: a TypeError if there is no complete response. */
export function createOidcFetch(): (url: string, options: FetchOptions) => Promise<Response> {
  const http = createHttpClient({
    allowPrivate: true,
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: RESPONSE_BYTES_MAX,
    connectionsPerOrigin: CONNECTIONS_MAX,
  })
  return async (url, { method, headers, body, signal }) => {
    const answer = await http
      .request({
        method: method as 'GET' | 'POST',
        url,
        headers,
        ...(body !== undefined && body !== null && { body: String(body) }),
        ...(signal && { signal }),
      })
      .catch((error: unknown) => {
        throw new TypeError('The identity provider did not respond', { cause: error })
      })
    if (answer.truncated) throw new TypeError('The response of the identity provider is too large')
    const content = WITHOUT_BODY.has(answer.status) ? null : new Uint8Array(answer.body)
    return new Response(content, { status: answer.status, headers: answer.headers })
  }
}
