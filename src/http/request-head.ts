// What is looked at before a request's route is: one Host header, as HTTP asks for, and a path and a
// query string whose percent-encoding can be read.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { echo, Refusal } from '../kit/contract/refusal.js'
import { textProblem } from './parse-json.js'

export function useHeadCheck(app: FastifyInstance): void {
  app.addHook('onRequest', function checkHost(request, _reply, done) {
    done(isHostClear(request.raw) ? undefined : new Refusal('host_invalid'))
  })
  app.addHook('preValidation', function checkQuery(request, _reply, done) {
    const problem = request.url.includes('%')
      ? queryProblem(request.url, request.query as Record<string, string | string[]>)
      : null
    done(problem ?? undefined)
  })
}

/** Two of them, and a proxy before us may have gone by the other one. HTTP/1.0 asks for none. */
export function isHostClear({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersionMinor === 0)
}

// Values can carry a NUL, too: PostgreSQL would answer with a fault.
function queryProblem(url: string, query: Record<string, string | string[]>): Refusal | null {
  try {
    decodeURIComponent(url.slice(url.indexOf('?') + 1))
  } catch {
    return new Refusal('query_malformed')
  }
  for (const [field, value] of Object.entries(query)) {
    for (const text of [value].flat()) {
      const problem = textProblem(text, echo(field))
      if (problem) return problem
    }
  }
  return null
}
