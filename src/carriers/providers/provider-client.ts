// Requests to a provider other than messages (numbers, registration, setup): few, patient, and each with a clear
// outcome. Messages have their own client in http-link.ts, because their outcomes are settled differently (decision
// 0106).

import type { AllowList } from '../../kit/allow-list.js'
import { createHttpClient, HttpFailure } from '../../kit/http-client/http-client.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { ProviderAnswer, ProviderRequest } from './provider.js'
import type { ProviderCodes } from './provider-codes.js'
import { parseJson } from './read-answer.js'

const RESPONSE_BYTES_MAX = 4 * 1024 * 1024
const CONNECTIONS_MAX = 8

/** What a provider writes about a refused request. */
export interface ProviderError {
  code: string | null
  text: string | null
  /** By our field, if it names any. */
  notes?: RemoteFault['notes']
}

export type ParseError = (answer: ProviderAnswer) => ProviderError

/** A failed request, with what an error message needs. */
export interface FailedRequest extends Pick<ProviderError, 'code' | 'text'> {
  request: ProviderRequest
  /** A description of what was requested. */
  what: string
  /** Null: no response. Then `text` is the reason, and `hasLeft` is whether the request may have arrived. */
  status: number | null
  hasLeft: boolean
}

export interface ProviderClientOptions {
  codes: ProviderCodes
  parseError: ParseError
  timeoutMs: number
  /** False: private addresses only if `allow` lists them. Default: true, because the operator chose the address. */
  allowPrivate?: boolean
  allow?: AllowList | undefined
  /** The message of a fault. Default: the provider's own text. */
  describe?: (failed: FailedRequest) => string
}

interface RequestOptions {
  /** A description for the message of a fault. */
  what?: string
  /** Overrides the client's. */
  parseError?: ParseError
}

export interface ProviderClient {
  /** The response if it is 2xx. Null if it is 404. Throws a RemoteFault. */
  request: (request: ProviderRequest, options?: RequestOptions) => Promise<ProviderAnswer | null>
  /** The same for a response that must be JSON. */
  requestJson: (request: ProviderRequest, options?: RequestOptions) => Promise<unknown>
  close: () => Promise<void>
}

export function createProviderClient(options: ProviderClientOptions): ProviderClient {
  const { codes, timeoutMs, allowPrivate = true, allow, describe = defaultDescription } = options
  const http = createHttpClient({
    timeoutMs,
    allowPrivate,
    ...(allow && { allow }),
    maxResponseBytes: RESPONSE_BYTES_MAX,
    connectionsPerOrigin: CONNECTIONS_MAX,
  })
  const request: ProviderClient['request'] = async (
    request,
    { what = 'the request', parseError = options.parseError } = {},
  ) => {
    const answer = await http.request(request).catch((error) => {
      const hasLeft = !(error instanceof HttpFailure) || error.hasLeft
      const text = error instanceof Error ? error.message : String(error)
      const failed = { request, what, status: null, hasLeft, code: null, text }
      throw new RemoteFault(hasLeft ? lostKind(request) : 'later', describe(failed))
    })
    const { status } = answer
    if (status >= 200 && status < 300) return answer
    if (status === 404) return null
    const { code, text, notes = [] } = parseError(answer)
    const kind = refusedKind(codes, request, status, code)
    const message = describe({ request, what, status, hasLeft: true, code, text })
    throw new RemoteFault(kind, message, { code, notes })
  }
  return {
    request,
    requestJson: async (input, requestOptions) => {
      const answer = await request(input, requestOptions)
      if (answer === null) return null
      const parsed = parseJson(answer.body)
      if (typeof parsed === 'object' && parsed !== null) return parsed
      const failed = { status: answer.status, hasLeft: true, code: null, text: null }
      const what = requestOptions?.what ?? 'the request'
      throw new RemoteFault('refused', describe({ request: input, what, ...failed }))
    },
    close: () => http.close(),
  }
}

/**
 * Only a POST creates something. We send PUT, PATCH, and DELETE with the whole desired state, so repeating one
 * without a response is harmless, and so is repeating a GET.
 */
function lostKind({ method }: ProviderRequest): 'unknown' | 'later' {
  return method === 'POST' ? 'unknown' : 'later'
}

/** Statuses about the content of a request. Others are about the key, the address, or a temporary problem. */
const ABOUT_CONTENT: ReadonlySet<number> = new Set([400, 409, 410, 412, 422])

function refusedKind(
  codes: ProviderCodes,
  request: ProviderRequest,
  status: number,
  code: string | null,
): RemoteFault['kind'] {
  if (status >= 500) return lostKind(request)
  const meaning = code === null ? null : codes.meaningOf(code)
  const isForLater = meaning === 'fault' || meaning === 'throttled' || request.method === 'GET'
  return isForLater || !ABOUT_CONTENT.has(status) ? 'later' : 'refused'
}

function defaultDescription({ status, code, text }: FailedRequest): string {
  if (status === null) return text ?? ''
  const isRefused = ABOUT_CONTENT.has(status) && text !== null
  if (isRefused) return code === null ? text : `${text} (${code})`
  return [`HTTP ${status}`, code, text].filter((word) => word !== null).join(' ')
}

/** Names of query parameters stay as written, such as `filter[limit]`. */
export function queryOf(fields: Readonly<Record<string, string | readonly string[]>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === 'string' ? [value] : value) query.append(name, one)
  }
  return query.toString()
}
