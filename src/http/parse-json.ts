// Parses request bodies: JSON only, with the text kept for the Idempotency-Key. Characters that PostgreSQL
// cannot store (NUL, half a surrogate pair) are refused here, once, for every field of every route. So are
// bodies with more fields or values than any client needs.

import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import secureJson from 'secure-json-parse'
import { findBoundProblem } from '../kit/contract/json-bounds.js'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import { fieldName } from '../kit/contract/validation.js'

// Only a body whose text has such an escape can contain such a character, so this walk is rare.
const SUSPECT = /\\u0000|\\ud[89a-f]/i

export function useJsonBodies(app: FastifyInstance): void {
  useEmptyBodies(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:\s*;.*)?$/i,
    { parseAs: 'buffer' },
    (request: FastifyRequest, bytes: string | Buffer, done) => {
      const text = readText(bytes as Buffer)
      if (text instanceof Refusal) return done(text)
      request.rawBody = text
      if (text.trim() === '') return done(null, undefined)
      const value = readJson(text)
      if (value instanceof Refusal) return done(value)
      done(null, value)
    },
  )
}

/** Decoding turns invalid bytes into U+FFFD, so only a text that contains it needs a check. */
export function readText(bytes: Buffer): string | Refusal {
  const text = bytes.toString()
  return text.includes('\ufffd') && !isUtf8(bytes) ? new Refusal('body_not_utf8') : text
}

/** __proto__ is refused by name, so no later code has to guard against it. */
export function readJson(text: string): unknown | Refusal {
  const problem = findBoundProblem(text)
  if (problem) return new Refusal(problem)
  let value: unknown
  try {
    value = secureJson.parse(text, { protoAction: 'error', constructorAction: 'ignore' })
  } catch {
    return refuseUnread(text)
  }
  const unstorable = SUSPECT.test(text) ? findUnstorable(value) : null
  return unstorable ? textProblem(unstorable.text, fieldName(unstorable.path)) : value
}

// Parsed again to find out which of the two it is. This is rare.
function refuseUnread(text: string): Refusal {
  try {
    const path = findProto(JSON.parse(text))
    if (path) return fieldRefusal(fieldName(path), 'is not allowed as a name. Choose another one')
  } catch {
    // it is broken after all
  }
  return new Refusal('json_broken')
}

function findProto(value: unknown): string[] | null {
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const path = key === '__proto__' ? [] : findProto(inner)
    if (path) return [key, ...path]
  }
  return null
}

// A missing body counts as an empty one, so the first required field is reported as missing.
function useEmptyBodies(app: FastifyInstance): void {
  app.addHook('preValidation', function fillEmptyBody(request, _reply, done) {
    if ((request.body === null || request.body === undefined) && !request.rawBody?.trim()) {
      request.body = {}
    }
    done()
  })
}

interface Unstorable {
  text: string
  path: string[]
}

/** The first text that cannot be stored, and its path. The depth was already checked. */
function findUnstorable(value: unknown): Unstorable | null {
  if (typeof value === 'string') return isStorable(value) ? null : { text: value, path: [] }
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) {
      const found = findUnstorable(value[i])
      if (found) return { text: found.text, path: [String(i), ...found.path] }
    }
    return null
  }
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) return { text: key, path: [] }
    const found = findUnstorable(inner)
    if (found) return { text: found.text, path: [key, ...found.path] }
  }
  return null
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

export function textProblem(text: string, field: string): Refusal | null {
  if (text.includes('\0')) return fieldRefusal(field, 'must not contain the character NUL')
  if (!text.isWellFormed()) return fieldRefusal(field, 'must be valid Unicode text')
  return null
}
