// One attempt: the request, and what its response means. Never rejects, except when the caller aborts it.

import { type HttpAnswer, type HttpClient, HttpFailure } from '../../kit/http-client/http-client.js'
import type { Log } from '../../kit/log.js'
import { eventHeaders, methodOf, packHead } from '../sent-request.js'
import type { Webhook } from '../webhook.js'
import type { OtherRequest } from './other-request.js'
import { parseRetryAfter } from './retry-schedule.js'
import { type SigningTime, signEvent } from './sign-event.js'

const KEPT_BODY_BYTES = 1024

export interface AttemptResult {
  /** gone: the endpoint asks to get no more requests. */
  kind: 'success' | 'failure' | 'gone'
  at: Date
  /** What is stored of the request, see sent-request.ts. Null if none could be made. */
  requestHead: string | null
  responseStatus: number | null
  durationMs: number
  responseBody: string | null
  error: string | null
  retryAfterMs: number | null
}

export interface AttemptRequest {
  webhook: Webhook
  eventId: string
  body: Buffer
  time: SigningTime
  signal: AbortSignal
  /** If a trace follows the message. */
  traceparent?: string | undefined
  /** For another format than ours. */
  prepare?: (() => Promise<OtherRequest>) | undefined
}

export async function attemptDelivery(
  http: HttpClient,
  log: Log,
  { webhook, eventId, body, time, signal, traceparent, prepare }: AttemptRequest,
): Promise<AttemptResult> {
  const { now } = time
  const startedAtMs = performance.now()
  let requestHead: string | null = null
  try {
    const other = prepare ? await prepare() : null
    const signed = other?.head ?? signEvent(webhook, eventId, body, time)
    const head = traceparent === undefined ? signed : { ...signed, traceparent }
    requestHead = packHead(head)
    const headers = eventHeaders(head, eventId, webhook.signature)
    const method = methodOf(head)
    const sent = method === 'POST' ? body : undefined
    const answer = await http.request({ method, url: head.url, headers, signal, body: sent })
    const problem = other && isSuccess(answer) ? await other.onAnswer(answer) : null
    return evaluateResponse(answer, now, requestHead, problem)
  } catch (error) {
    if (signal.aborted && error === signal.reason) throw error
    if (!(error instanceof HttpFailure))
      log.error({ err: error, webhook: webhook.id }, 'attempt failed')
    return {
      kind: 'failure',
      at: now,
      requestHead,
      responseStatus: null,
      durationMs: Math.round(performance.now() - startedAtMs),
      responseBody: null,
      error: error instanceof HttpFailure ? error.message : 'The request could not be sent.',
      retryAfterMs: null,
    }
  }
}

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300
}

/** Any 2xx is success. A redirect is not, because following it would bypass the address guard. */
export function evaluateResponse(
  answer: HttpAnswer,
  now: Date,
  requestHead: string | null,
  problem: string | null = null,
): AttemptResult {
  const { status, headers, durationMs } = answer
  const isRedirect = status >= 300 && status < 400 && headers.location !== undefined
  return {
    kind: isSuccess(answer) ? 'success' : status === 410 ? 'gone' : 'failure',
    at: now,
    requestHead,
    responseStatus: status,
    durationMs,
    responseBody: keptBody(answer.body),
    error: isRedirect ? 'Redirects are not followed. Point the webhook at the final URL.' : problem,
    retryAfterMs: parseRetryAfter(headers['retry-after'], now),
  }
}

// PostgreSQL cannot store the character NUL. A character split by the cut becomes U+FFFD.
function keptBody(body: Buffer): string {
  if (body.length === 0) return ''
  return body.subarray(0, KEPT_BODY_BYTES).toString('utf8').replaceAll('\0', '\ufffd')
}
