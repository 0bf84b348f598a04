// Every reply carries the id of its request, and the log knows what became of it: one line each, with
// no token, no text and no phone number.

import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../kit/log.js'

const PROCESS = randomBytes(6).toString('hex')
let requests = 0

/** This process and a number: unique without asking for time or chance at every request. */
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
    })
    done()
  })
}

export interface Answered {
  requestId: string
  method: string
  route: string
  status: number
  ms: number
  account: string | undefined
}

export function logAnswer(log: Log, answered: Answered): void {
  const level = levelOf(answered.status)
  if (!log.isLevelEnabled(level)) return
  log[level]({ ...answered, ms: Math.round(answered.ms * 10) / 10 }, 'request')
}

// What went well is logged only for those who ask for it: at thousands of sends a second the log would
// cost as much as the sends.
function levelOf(status: number): 'debug' | 'info' | 'error' {
  if (status === 503) return 'debug' // its cause is logged, once for all that meet it
  if (status >= 500) return 'error'
  return status >= 400 ? 'info' : 'debug'
}
