// Unknown names in a request are reported in `warnings`, or refused if the client asks for that
// (Prefer: handling=strict). Null for an optional field means "not given", on every route.

import type { FastifyInstance } from 'fastify'
import { readKnownFields, type UnknownField, unknownText } from '../kit/contract/known-fields.js'
import { Refusal } from '../kit/contract/refusal.js'
import { prefersStrict, STRICT } from './prefer.js'

declare module 'fastify' {
  interface FastifyRequest {
    unknownFields: readonly UnknownField[] | null
  }
}

export const STRICT_HEADERS = { 'preference-applied': STRICT } as const

/** Add it after the hooks that read bodies, and before those that a route adds. */
export function useUnknownFields(app: FastifyInstance): void {
  app.decorateRequest('unknownFields', null)

  app.addHook('preValidation', function readUnknownFields(request, reply, done) {
    const { known } = request.routeOptions.config
    if (!known) return done() // a page or a file
    const inQuery = readKnownFields(known.query, request.query, 'parameter')
    const inBody = known.body && readKnownFields(known.body, request.body)
    const unknown = inQuery && inBody ? [...inQuery, ...inBody] : (inQuery ?? inBody)
    if (prefersStrict(request.headers.prefer)) {
      reply.headers(STRICT_HEADERS)
      if (unknown) return done(unknownRefusal(unknown))
    }
    request.unknownFields = unknown
    done()
  })

  app.addHook('preSerialization', function addWarnings(request, _reply, payload, done) {
    const { unknownFields } = request
    if (!unknownFields) return done(null, payload)
    done(null, withWarnings(payload as object, unknownFields))
  })
}

export function unknownRefusal(unknown: readonly UnknownField[]): Refusal {
  const details = unknown.map(({ field, problem, remedy }) => ({
    field,
    problem: `${problem}: ${remedy}`,
  }))
  return new Refusal('field_unknown', unknownText(unknown[0]!), details)
}

// The campaign check has structured warnings. Unknown names are added to them in the same form.
export function withWarnings(payload: object, unknown: readonly UnknownField[]): object {
  const { warnings } = payload as { warnings?: readonly object[] }
  if (!warnings) return { ...payload, warnings: unknown.map(unknownText) }
  const added = unknown.map(({ remedy, ...rest }) => ({ ...rest, remedy: capitalized(remedy) }))
  return { ...payload, warnings: [...warnings, ...added] }
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
