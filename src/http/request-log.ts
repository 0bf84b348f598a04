// Every response has a request ID, and the log has one line for each, with the result and without tokens,
// texts, or phone numbers.

import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../kit/log.js'

const PROCESS = randomBytes(6).toString('hex')
let requests = 0

/** The process and a counter: unique without reading the time or a random number for every request. */
export function nextRequestId(): string {
  requests += 1
  return `req_${PROCESS}${requests.toString(36).padStart(7, '0')}`
}

export function useRequestLog(app: FastifyInstance, log: Log): void {
  app.addHook('onRequest', function showRequestId(request, reply, done) {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
  app.addHook('onResponse', function logRequest(request, reply, done) {
    logAnswer(log, {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: reply.elapsedTime,
      account: request.caller?.accountId,
      ...(request.trace && { traceId: request.trace.traceId }),
    })
    done()
  })
}

export interface AnsweredRequest {
  requestId: string
  method: string
  route: string
  status: number
  ms: number
  account: string | undefined
  /** Of a sampled request. */
  traceId?: string
}

export function logAnswer(log: Log, answered: AnsweredRequest): void {
  const level = levelOf(answered.status)
  if (!log.isLevelEnabled(level)) return
  log[level]({ ...answered, ms: Math.round(answered.ms * 10) / 10 }, 'request')
}

// Successes are logged only at debug: at thousands of sends a second, the log would cost as much as the
// sends.
function levelOf(status: number): 'debug' | 'info' | 'error' {
  if (status === 503) return 'debug' // its cause is logged once for all requests it affects
  if (status >= 500) return 'error'
  return status >= 400 ? 'info' : 'debug'
}
