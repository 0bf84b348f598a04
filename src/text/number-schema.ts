// The schema of a phone number in requests.

import { Type } from 'typebox'
import { digitsToE164, numberProblem } from './phone-number.js'

export function E164(options: Record<string, unknown> = {}) {
  return Type.String({
    ...(Object.keys(options).every(isWord) && { title: 'PhoneNumber' }),
    pattern: '^\\+1[0-9]{10}$',
    examples: ['+14155550123'],
    'x-explains': numberProblem,
    ...options,
  })
}

/** Options that do not make it another schema. openapi.json uses one name for all of them. */
function isWord(option: string): boolean {
  return option === 'description' || option.startsWith('x-')
}

/** In a query string, a plus sign that was not encoded arrives as a space. Both mean a plus. */
export function PhoneQuery(options: Record<string, unknown> = {}) {
  return E164({ pattern: '^[+ ]?1[0-9]{10}$', ...options })
}

export function readPhoneQuery(text: string | undefined): string | null {
  return text === undefined ? null : digitsToE164(text.trim())
}
