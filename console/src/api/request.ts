// One request to the public API, signed in by the session cookie. A failure keeps the API's error message, the
// fields it names, and the request id.

import { addressOf, type Query } from '../lib/address'
import { setServiceNow } from '../lib/service-time'
import { noteIncomplete } from './incomplete'

export interface FieldProblem {
  field: string
  problem: string
}

export class ApiFailure extends Error {
  readonly status: number
  readonly code: string | null
  readonly requestId: string | null
  readonly details: readonly FieldProblem[]
  readonly retryAfterS: number | null

  constructor(status: number, body: Record<string, unknown>, headers: Headers) {
    super(typeof body.error === 'string' ? body.error : wordsOf(status))
    this.status = status
    this.code = typeof body.code === 'string' ? body.code : null
    this.requestId =
      typeof body.requestId === 'string' ? body.requestId : headers.get('x-request-id')
    this.details = Array.isArray(body.details) ? (body.details as FieldProblem[]) : []
    const after = Number(headers.get('retry-after'))
    this.retryAfterS = headers.has('retry-after') && Number.isFinite(after) ? after : null
  }
}

/** The service could not be reached, so the outcome is unknown. */
export class NoConnection extends Error {
  constructor() {
    super('Cannot reach the service.')
  }
}

function wordsOf(status: number): string {
  return status >= 500 ? 'Internal server error' : `Request failed with status ${status}`
}

export interface RequestOptions {
  query?: Query
  body?: unknown
  /** One per form: pressing twice, or again after a failure, runs the action once. */
  idempotencyKey?: string
  signal?: AbortSignal
  /** For callers that need a response header, such as whether the reply is a replay. */
  onHeaders?: (headers: Headers) => void
}

let tellEnded = (): void => {}

/** Notified when a response shows that the session has ended. */
export function onSessionEnded(listener: () => void): void {
  tellEnded = listener
}

export async function request<Reply>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { query, body, idempotencyKey, signal, onHeaders }: RequestOptions = {},
): Promise<Reply> {
  const headers: Record<string, string> = { 'x-longcode-console': '1' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey
  const response = await fetch(addressOf(path, query), {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : new NoConnection()
  })
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>
  if (typeof answer.now === 'string') setServiceNow(answer.now)
  if (method === 'GET' && path.startsWith('/operator/v1/')) noteIncomplete(response.headers)
  onHeaders?.(response.headers)
  if (response.ok) return answer as Reply
  const failure = new ApiFailure(response.status, answer, response.headers)
  if (response.status === 401 && path !== '/console/session') tellEnded()
  throw failure
}
