// To whom somebody means to write, in whatever spelling: the number the API takes, or why there is none,
// and what will come of numbers that cannot be reached.

import { readPhone } from './format'
import { MAGIC_NUMBERS } from './sandbox'

export interface Recipient {
  /** As the API takes it; null while it is no US number. */
  phone: string | null
  problem: string | null
  /** It will be accepted, but not arrive. */
  warning: string | null
}

const NOT_YET = 'A US or Canadian number of ten digits, such as (415) 555-0100.'

export function readRecipient(text: string, isSandbox: boolean): Recipient {
  const wanted = text.trim()
  if (wanted === '') return { phone: null, problem: null, warning: null }
  const isForeign = /^(\+(?!\s*\(?1)|00|011)/.test(wanted)
  const phone = isForeign || /[a-z]/i.test(wanted) ? '' : readPhone(wanted)
  if (!/^\+1\d{10}$/.test(phone)) return { phone: null, problem: NOT_YET, warning: null }
  return { phone, problem: null, warning: warningOf(phone, isSandbox) }
}

// Area codes and exchanges begin with 2 to 9.
function warningOf(phone: string, isSandbox: boolean): string | null {
  if (!/^\+1[2-9]\d\d[2-9]\d{6}$/.test(phone)) {
    return 'This looks like no US mobile number. It will be accepted and will fail with 1350, free of charge.'
  }
  const magic = isSandbox && MAGIC_NUMBERS.find(({ ending }) => phone.endsWith(ending))
  return magic ? `In the sandbox this phone ${stateOf(magic.what)}.` : null
}

function stateOf(what: string): string {
  return /^(can’t|is)\b/.test(what) ? what : `is special: ${what}`
}
