// Parses a recipient typed in any format: the number the API accepts, or why it is not valid, with a warning for
// numbers that cannot be reached.

import { readPhone } from './format'
import { MAGIC_NUMBERS } from './sandbox'

export interface Recipient {
  /** As the API accepts it. Null until it is a US number. */
  phone: string | null
  problem: string | null
  /** The number is accepted, but the message will not arrive. */
  warning: string | null
}

const NOT_YET = 'Enter a 10-digit US or Canadian number, such as (415) 555-0100.'

export function readRecipient(text: string, isSandbox: boolean): Recipient {
  const input = text.trim()
  if (input === '') return { phone: null, problem: null, warning: null }
  const isForeign = /^(\+(?!\s*\(?1)|00|011)/.test(input)
  const phone = isForeign || /[a-z]/i.test(input) ? '' : readPhone(input)
  if (!/^\+1\d{10}$/.test(phone)) return { phone: null, problem: NOT_YET, warning: null }
  return { phone, problem: null, warning: warningOf(phone, isSandbox) }
}

// Area codes and exchanges start with 2 to 9.
function warningOf(phone: string, isSandbox: boolean): string | null {
  if (!/^\+1[2-9]\d\d[2-9]\d{6}$/.test(phone)) {
    return 'This doesn’t look like a US mobile number. The message will be accepted, then fail with error 1350 and be refunded.'
  }
  const magic = isSandbox && MAGIC_NUMBERS.find(({ ending }) => phone.endsWith(ending))
  return magic ? `Special sandbox number: ${magic.what}.` : null
}
