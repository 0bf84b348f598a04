// A span for every sampled API request and provider callback, and its trace in the request, for what it creates. The
// send fast path has its own exchange and uses the same functions.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RequestTrace, Tracing } from '../kit/tracing/tracing.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the request is not sampled. */
    trace: RequestTrace | null
  }
}

/** Health checks, metrics, and pages would only be noise. */
const TRACED = /^\/(?:v1|2010-04-01|carrier)\//

export function useRequestTrace(app: FastifyInstance, tracing: Tracing | undefined): void {
  app.decorateRequest('trace', null)
  if (!tracing) return
  app.addHook('onRequest', function startTrace(request, _reply, done) {
    if (TRACED.test(request.url)) request.trace = tracing.startRequest(traceparentOf(request.raw))
    done()
  })
  app.addHook('onResponse', function finishTrace(request, reply, done) {
    if (request.trace) {
      endTrace(request.trace, {
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        account: request.caller?.accountId,
      })
    }
    done()
  })
}

export function traceparentOf({
  headers: { traceparent },
}: Pick<IncomingMessage, 'headers'>): string | undefined {
  return typeof traceparent === 'string' ? traceparent : undefined
}

interface Answered {
  method: string
  route: string
  status: number
  account: string | undefined
}

export function endTrace(trace: RequestTrace, { account, ...answered }: Answered): void {
  trace.end({ ...answered, ...(account !== undefined && { account }) })
}
