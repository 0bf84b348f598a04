// Checks that run before routing: exactly one Host header, as HTTP requires, and valid percent-encoding in
// the path and query.

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

/** With two Host headers, a proxy in front of us may have used the other one. HTTP/1.0 requires none. */
export function isHostClear({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersionMinor === 0)
}

// Values can contain NUL too, which PostgreSQL would reject with an error.
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
