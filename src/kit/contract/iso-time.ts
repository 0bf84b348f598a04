// Times in requests: one schema for bodies and queries, and the refusal of a text that is not a time.

import { Type } from 'typebox'
import { findTime, TIME_LENGTH_MAX } from './find-time.js'
import { fieldRefusal } from './refusal.js'

const TIME_EXPECTS = 'must be an ISO 8601 time such as 2026-12-24T18:00:00Z'

export function IsoTime(description: string, options: Record<string, unknown> = {}) {
  return Type.String({
    format: 'date-time',
    maxLength: TIME_LENGTH_MAX,
    description,
    'x-expects': TIME_EXPECTS,
    ...options,
  })
}

/** Refuses with the field's name. */
export function readTime(field: string, text: string): Date {
  const time = findTime(text)
  if (!time) throw fieldRefusal(field, TIME_EXPECTS)
  return time
}
