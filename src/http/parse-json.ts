// Request bodies: JSON only, kept also as text for the Idempotency-Key. What PostgreSQL cannot store
// (the character NUL, half a surrogate pair) is refused here, once, for every field of every route.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import secureJson from 'secure-json-parse'
import { fieldRefusal, Refusal } from '../kit/refusal.js'

// Only a body whose text holds such an escape can hold such a character: the walk is rare.
const SUSPECT = /\\u0000|\\ud[89a-f]/i

export function useJsonBodies(app: FastifyInstance): void {
  useEmptyBodies(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:\s*;.*)?$/i,
    { parseAs: 'string' },
    (request: FastifyRequest, text: string | Buffer, done) => {
      const body = String(text)
      request.rawBody = body
      if (body.trim() === '') return done(null, undefined)
      const value = readJson(body)
      if (value instanceof Refusal) return done(value)
      done(null, value)
    },
  )
}

/** A poisoned prototype counts as broken, too. */
export function readJson(text: string): unknown | Refusal {
  let value: unknown
  try {
    value = secureJson.parse(text, { protoAction: 'error', constructorAction: 'ignore' })
  } catch {
    return new Refusal('json_broken')
  }
  return SUSPECT.test(text) ? (unstorable(value, '') ?? value) : value
}

// No body at all is an empty one: the first required field is then what is missing.
function useEmptyBodies(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if ((request.body === null || request.body === undefined) && !request.rawBody?.trim()) {
      request.body = {}
    }
    done()
  })
}

/** The refusal for the first value that cannot be stored, or null. */
function unstorable(value: unknown, field: string): Refusal | null {
  if (typeof value === 'string') return textProblem(value, field)
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const name = field ? `${field}.${key}` : key
    const refusal = textProblem(key, field || 'body') ?? unstorable(inner, name)
    if (refusal) return refusal
  }
  return null
}

export function textProblem(text: string, field: string): Refusal | null {
  if (text.includes('\0')) return fieldRefusal(field, 'must not contain the character NUL')
  if (!text.isWellFormed()) return fieldRefusal(field, 'must be valid Unicode text')
  return null
}
