// Every reply carries the id of its request, and the log knows what became of it: one line each, with
// no token, no text and no phone number.

import type { FastifyInstance } from 'fastify'
import type { Log } from '../kit/log.js'

export function useRequestLog(app: FastifyInstance, log: Log): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const level = levelOf(reply.statusCode)
    if (log.isLevelEnabled(level)) {
      log[level](
        {
          requestId: request.id,
          method: request.method,
          route: request.routeOptions.url ?? 'unknown',
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime * 10) / 10,
          account: request.caller?.accountId,
        },
        'request',
      )
    }
    done()
  })
}

// What went well is told only to those who ask for it: at thousands of sends a second the log would
// cost as much as the sends.
function levelOf(status: number): 'debug' | 'info' | 'error' {
  if (status >= 500) return 'error'
  return status >= 400 ? 'info' : 'debug'
}
