// One request to the public API, signed in by the session cookie. Its input and reply are typed by its route. A failure
// keeps the API's error message, the fields it names, and the request id.

import type { Routes } from '../../generated/types.gen'
import { addressOf, type Query } from '../lib/address'
import { setServiceNow } from '../lib/service-time'
import type { ChangingRoute } from './changes'
import { noteIncomplete } from './incomplete'

export interface FieldError {
  field: string
  problem: string
}

export class ApiFailure extends Error {
  readonly status: number
  readonly code: string | null
  readonly requestId: string | null
  readonly details: readonly FieldError[]
  readonly retryAfterS: number | null

  constructor(status: number, body: Record<string, unknown>, headers: Headers) {
    super(typeof body.error === 'string' ? body.error : wordsOf(status))
    this.status = status
    this.code = typeof body.code === 'string' ? body.code : null
    this.requestId =
      typeof body.requestId === 'string' ? body.requestId : headers.get('x-request-id')
    this.details = Array.isArray(body.details) ? (body.details as FieldError[]) : []
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

/** A method and a path of openapi.json. A route that changes something must be listed in changes.ts. */
export type ApiRoute = Extract<keyof Routes, `GET ${string}`> | ChangingRoute

/** Reports are also available as text. `request` reads JSON only. */
type Reply<R extends ApiRoute> = Exclude<Routes[R]['reply'], string>

/** What a route takes at that place. */
type Part<R extends ApiRoute, K extends string> = Routes[R] extends Record<K, infer T> ? T : never

export type QueryOf<R extends ApiRoute> = Part<R, 'query'>

/** Parameters without a value are left out. */
type Unset<Q> = { [K in keyof Q]: object extends Pick<Q, K> ? Q[K] | null | undefined : Q[K] }

/** A request only reads its body. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/** Required, unless nothing in it is. */
type Needed<K extends string, T> = [T] extends [never]
  ? { [P in K]?: never }
  : object extends T
    ? { [P in K]?: T }
    : { [P in K]: T }

type Input<R extends ApiRoute> = Options &
  Needed<'path', Part<R, 'path'>> &
  Needed<'body', Frozen<Part<R, 'body'>>> &
  Needed<'query', Unset<QueryOf<R>>>

interface Options {
  /** The idempotency key. One per form: pressing twice, or again after a failure, runs the action once. */
  key?: string
  signal?: AbortSignal
  /** For callers that need a response header, such as whether the reply is a replay. */
  onHeaders?: (headers: Headers) => void
}

/** Every input, once the route's types were checked. */
interface AnyInput extends Options {
  path?: Record<string, string>
  query?: Query
  body?: unknown
}

let tellEnded = (): void => {}
let tellRoleRefused = (): void => {}
let tellChanged = (_route: ChangingRoute): void => {}

/** Notified when a response shows that the session has ended. */
export function onSessionEnded(listener: () => void): void {
  tellEnded = listener
}

/** Notified when a request was refused because of the person's role, which may have changed since the page opened. */
export function onRoleRefused(listener: () => void): void {
  tellRoleRefused = listener
}

/** Notified when a request may have changed something, or was refused because the record is not in the state shown. */
export function onChanged(listener: (route: ChangingRoute) => void): void {
  tellChanged = listener
}

/** A wrong password or an old link does not end the session of anyone. */
function isAboutSignIn(path: string, code: string | null): boolean {
  return (
    /^\/console\/(?:session|invitation)(?:\/|$)/.test(path) ||
    (code !== 'session_absent' && path.startsWith('/console/profile'))
  )
}

const STATE_REFUSALS = [409, 422]
const ROLE_REFUSALS = ['role_absent', 'membership_absent']

export async function request<R extends ApiRoute>(route: R, input: Input<R>): Promise<Reply<R>> {
  const { path: values = {}, query, body, key, signal, onHeaders } = input as AnyInput
  const [method, template] = route.split(' ') as [string, string]
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]!))
  const headers: Record<string, string> = { 'x-longcode-console': '1' }
  const isFile = body instanceof Blob
  if (isFile) headers['content-type'] = body.type || 'application/octet-stream'
  else if (body !== undefined) headers['content-type'] = 'application/json'
  if (key) headers['idempotency-key'] = key
  const response = await fetch(addressOf(path, query), {
    method,
    headers,
    ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : new NoConnection()
  })
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>
  if (typeof answer.now === 'string') setServiceNow(answer.now)
  if (method === 'GET' && path.startsWith('/operator/v1/')) noteIncomplete(response.headers)
  onHeaders?.(response.headers)
  if (method !== 'GET' && (response.ok || STATE_REFUSALS.includes(response.status))) {
    tellChanged(route as ChangingRoute)
  }
  if (response.ok) return answer as unknown as Reply<R>
  const failure = new ApiFailure(response.status, answer, response.headers)
  if (response.status === 401 && !isAboutSignIn(path, failure.code)) tellEnded()
  if (failure.code !== null && ROLE_REFUSALS.includes(failure.code)) tellRoleRefused()
  throw failure
}
