// Reads provider responses safely: a field either has the expected type or is missing.

import { findBoundProblem } from '../../kit/contract/json-bounds.js'
import type { PhoneFacts } from '../../messages/carrier-port.js'

export function parseJson(body: Buffer): unknown {
  try {
    const text = body.toString('utf8')
    return findBoundProblem(text) === null ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

export function objectAt(value: unknown, ...path: (string | number)[]): Record<string, unknown> {
  const found = at(value, path)
  return typeof found === 'object' && found !== null && !Array.isArray(found)
    ? (found as Record<string, unknown>)
    : {}
}

export function listAt(value: unknown, ...path: (string | number)[]): readonly unknown[] {
  const found = at(value, path)
  return Array.isArray(found) ? found : []
}

/** Accepts numbers too, because codes are written either way. Null for anything else. */
export function textAt(value: unknown, ...path: (string | number)[]): string | null {
  const found = at(value, path)
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found !== '' ? found : null
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Object.hasOwn(found, key) ? (found as Record<string | number, unknown>)[key] : undefined
  }
  return found
}

const BRANDS = [
  { network: 'att', pattern: /\bAT ?& ?T\b|\bcingular\b/i },
  { network: 'tmo', pattern: /\bT-? ?mobile\b|\bmetro ?pcs\b|\bsprint\b/i },
  { network: 'vzw', pattern: /\bverizon\b/i },
] as const

/** Whole words only: "fixed line or mobile" and "fixedVoip" may receive texts. */
const LANDLINE = /^(wireline|landline|fixed|fixed[ _-]?line)$/i

/**
 * Maps the name of a phone's carrier to a network. Names are long and change ("AT&T Mobility LLC", "T-MOBILE USA,
 * INC."), so it searches for the brand. Networks with a landline business of the same name are distinguished by
 * line type.
 */
export function factsOf(carrier: string | null, lineType: string | null): PhoneFacts {
  const isLandline = LANDLINE.test(lineType ?? '')
  const network = BRANDS.find(({ pattern }) => pattern.test(carrier ?? ''))?.network ?? null
  return {
    ...(carrier !== null && !isLandline && { network }),
    ...(isLandline && { isLandline }),
  }
}
