// Times that a caller names. The schema's format lets a leap second through, which a Date cannot be.

import { Type } from 'typebox'
import { fieldRefusal } from '../kit/refusal.js'

const EXPECTS = 'must be an ISO 8601 time such as 2026-12-24T18:00:00Z'

export function IsoTime(description: string) {
  return Type.String({ format: 'date-time', description, 'x-expects': EXPECTS })
}

export function readTime(field: string, text: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw fieldRefusal(field, EXPECTS)
  return at
}
