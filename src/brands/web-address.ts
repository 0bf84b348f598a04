// The schema of a link: http or https, with a host. The pattern takes linear time.

import { Type } from 'typebox'

export const WEB_ADDRESS_EXPECTS = 'must be a web address such as https://www.example.com'

export const WEB_ADDRESS_LENGTH_MAX = 2048

export const WEB_ADDRESS_PATTERN = '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#\\\\]+(?:[/?#]\\S*)?$'

export function WebAddress(options: Record<string, unknown> = {}) {
  return Type.String({
    minLength: 1,
    maxLength: WEB_ADDRESS_LENGTH_MAX,
    pattern: WEB_ADDRESS_PATTERN,
    examples: ['https://www.example.com'],
    'x-expects': WEB_ADDRESS_EXPECTS,
    ...options,
  })
}

/** Problems that a pattern cannot see: a port out of range, an invalid host. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text)
}
