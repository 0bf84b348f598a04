// The schema of a phone number at the border.

import { Type } from 'typebox'

export const E164_EXPECTS = 'must be a phone number in E.164 form such as +14155550123'

export function E164(options: Record<string, unknown> = {}) {
  return Type.String({
    pattern: '^\\+1[0-9]{10}$',
    examples: ['+14155550123'],
    'x-expects': E164_EXPECTS,
    ...options,
  })
}
