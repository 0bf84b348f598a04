// The SIP redirect server as a function: a message from a trunk in, the answer out. It keeps no state, waits for nothing,
// and never throws (RFC 3261, 8.2.7 and 8.3).

import { decideCall } from '../forwarding/decide-call.js'
import type { FindTarget, ForwardingPolicy } from '../forwarding/forwarding-policy.js'
import { readUriNumber } from '../forwarding/number-forms.js'
import { valuesOf } from '../message/headers.js'
import { parseMessage, type SipRequest } from '../message/parse-message.js'
import { replyPort, type Source } from '../message/via.js'
import { readPastForwardings, writeDiversion, writeHistory } from './past-forwardings.js'
import { writeContact } from './target-uri.js'
import type { TrunkSettings } from './trunk.js'
import { type AnswerLine, type PlainStatus, plain, toTag, writeAnswer } from './write-answer.js'

export interface AnswerSettings {
  find: FindTarget
  policy: ForwardingPolicy
  /** A secret shared by all nodes. */
  key: string
  /** Null: no overload protection. */
  shedder: CallShedder | null
  /** Null: numbers and accounts have no limits. */
  limiter: CallLimiter | null
}

/** Checked before any work on a call. */
interface CallShedder {
  /** Null: the call is accepted. Otherwise: Retry-After in seconds. */
  refuse(trunk: TrunkSettings, nowMs: number): number | null
}

export type LimitFault = 'number limit' | 'account limit' | 'balance'

/** Checked before a call is redirected. */
export interface CallLimiter {
  /** Null: the call may be forwarded. The tag is the same for repetitions of a call. */
  admit(number: string, tag: string, nowMs: number): LimitFault | null
}

export type SipAnswer = {
  kind: 'answered'
  method: string
  status: number
  bytes: Buffer
  /** The same for all repetitions of a request. */
  tag: string
  /** For a datagram: the port at the source's address that the answer goes to. */
  port: number
  /** The called number if we have it, and the target of the call. */
  number: string | null
  target: string | null
  /** A short reason for the log; null for a redirect and for requests with only one possible answer. */
  why: string | null
  request: SipRequest
  /** The name of the trunk. */
  trunk: string
}

export type SipOutcome =
  | SipAnswer
  /** A ping between messages: a stream expects CR LF back, a datagram nothing. */
  | { kind: 'ping' }
  /** ACK, responses. */
  | { kind: 'ignored' }
  /** No answer; a stream is closed. */
  | { kind: 'nonsense'; why: string }

interface Reply {
  line: AnswerLine
  more?: readonly string[]
  number?: string | null
  target?: string
  why?: string
}

const SCHEMES = ['sip', 'sips', 'tel']
const NOTHING_MORE: readonly string[] = []
const ALLOW = 'Allow: INVITE, ACK, CANCEL, OPTIONS, BYE'

/** `nowMs` is monotonic. The answer depends on it only under overload. */
export function answerMessage(
  bytes: Buffer,
  source: Source,
  trunk: TrunkSettings,
  settings: AnswerSettings,
  nowMs: number,
): SipOutcome {
  const message = parseMessage(bytes)
  if (message.kind === 'response') return { kind: 'ignored' }
  if (message.kind !== 'request') return message
  if (message.method === 'ACK') return { kind: 'ignored' }
  const tag = toTag(message, settings.key)
  const { line, more, number, target, why } = replyTo(message, tag, trunk, settings, nowMs)
  return {
    kind: 'answered',
    method: message.method,
    status: line.status,
    bytes: writeAnswer(message, source, tag, line, more ?? NOTHING_MORE),
    tag,
    port: replyPort(message.topVia, source),
    number: number ?? null,
    target: target ?? null,
    why: why ?? null,
    request: message,
    trunk: trunk.name,
  }
}

function replyTo(
  request: SipRequest,
  tag: string,
  trunk: TrunkSettings,
  settings: AnswerSettings,
  nowMs: number,
): Reply {
  if (request.fault !== null) return { line: request.fault, why: request.fault.reason }
  // The INVITE already got its final answer, so there is nothing to cancel.
  if (request.method === 'CANCEL') return of(200)
  if (request.method === 'OPTIONS') return refuseRequired(request) ?? of(200, [ALLOW])
  if (request.method === 'BYE' || request.hasToTag) return of(481)
  if (request.method !== 'INVITE') return of(405, [ALLOW])
  // Checked before the target is looked up. OPTIONS are still answered, so the peer does not consider us down.
  const retryAfterS = settings.shedder?.refuse(trunk, nowMs) ?? null
  if (retryAfterS !== null) return overloaded(retryAfterS)
  const reply = refuseRequired(request) ?? replyToCall(request, trunk, settings)
  if (reply.target === undefined) return reply
  const limit = settings.limiter?.admit(reply.number!, tag, nowMs) ?? null
  return limit === null ? reply : { ...of(480), number: reply.number!, why: limit }
}

function of(status: PlainStatus, more = NOTHING_MORE): Reply {
  return { line: plain(status), more }
}

function overloaded(retryAfterSeconds: number): Reply {
  return { ...of(503, [`Retry-After: ${retryAfterSeconds}`]), why: 'overload' }
}

/** We support no extensions, so every required one is refused. */
function refuseRequired({ headers }: SipRequest): Reply | null {
  if (!headers.has('require')) return null
  const required = valuesOf(headers, 'require')
  if (required === null) return badHeader('Require')
  return required.length === 0 ? null : of(420, [`Unsupported: ${required.join(', ')}`])
}

function badHeader(name: string): Reply {
  const reason = `Bad Request: the ${name} cannot be read`
  return { line: { status: 400, reason }, why: reason }
}

function replyToCall(request: SipRequest, trunk: TrunkSettings, settings: AnswerSettings): Reply {
  const { uri, headers, maxForwards } = request
  if (uri === null || !SCHEMES.includes(uri.scheme)) return of(416)
  if (maxForwards === 0) return of(483)
  const past = readPastForwardings(headers)
  if (past === null) return badHeader('Diversion or History-Info')
  const called = readUriNumber(uri, trunk.numberForms)
  const decision = decideCall(called, past, settings.find, settings.policy)
  if (decision.kind === 'refuse') {
    return { ...of(decision.status), number: decision.number, why: decision.why }
  }
  const { number, target } = decision
  return { line: plain(302), more: redirectLines(number, target, request, trunk), number, target }
}

function redirectLines(
  number: string,
  target: string,
  { headers }: SipRequest,
  trunk: TrunkSettings,
): string[] {
  const lines = [
    `Contact: <${writeContact(number, target, trunk)}>`,
    `Diversion: ${writeDiversion(number, trunk)}`,
  ]
  for (const value of valuesOf(headers, 'diversion') ?? []) lines.push(`Diversion: ${value}`)
  lines.push(`History-Info: ${writeHistory(number, target, headers, trunk)}`)
  return lines
}
