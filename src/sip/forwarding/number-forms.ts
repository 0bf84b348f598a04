// Parses and writes numbers in the formats of trunks. The trunk's settings define its formats. A number in another format
// is refused, not guessed.

import type { SipUri } from '../message/uri.js'

/** `+14155550123`, `14155550123`, `4155550123`. */
export type NumberForm = 'e164' | 'country' | 'national'

const NUMBER_FORMS: readonly NumberForm[] = ['e164', 'country', 'national']

export interface NumberForms {
  /** Formats in which the trunk can send the called number. */
  called: readonly NumberForm[]
  /** A prefix of every called number, such as a tech prefix; empty: none. */
  prefix: string
  /** The format in which we send numbers to the trunk. */
  written: NumberForm
}

export const ANY_FORM: NumberForms = { called: NUMBER_FORMS, prefix: '', written: 'e164' }

/** A +1 number in E.164, one of another country (never ours), or none. */
export type ReadNumber = { kind: 'number'; number: string } | { kind: 'foreign' } | { kind: 'none' }

const NONE: ReadNumber = { kind: 'none' }
const FOREIGN: ReadNumber = { kind: 'foreign' }
const LONGEST = 64

/** The number in a `sip:`, `sips:`, or `tel:` URI. `rn`, the routing number of a ported number, is ignored. */
export function readUriNumber(uri: SipUri, forms: NumberForms): ReadNumber {
  if (uri.user === null) return NONE
  return readNumber(uri.user, forms, uri.userParameters.get('phone-context'))
}

/** `context` completes a number without a plus: `+1`, `+1415`; a domain is ignored. */
export function readNumber(text: string, forms: NumberForms, context?: string): ReadNumber {
  if (text.length > LONGEST) return NONE
  const bare = withoutSeparators(
    text.startsWith(forms.prefix) ? text.slice(forms.prefix.length) : text,
  )
  if (!/^\+?\d{1,15}$/.test(bare)) return NONE
  if (!bare.startsWith('+') && context?.startsWith('+')) {
    const whole = `${withoutSeparators(context)}${bare}`
    if (/^\+1\d{10}$/.test(whole)) return { kind: 'number', number: whole }
  }
  return readBare(bare, forms.called)
}

function readBare(bare: string, called: readonly NumberForm[]): ReadNumber {
  if (/^\+[2-9]\d{6,14}$/.test(bare)) return FOREIGN
  const form = formOf(bare)
  if (form === null || !called.includes(form)) return NONE
  return { kind: 'number', number: `+1${bare.slice(-10)}` }
}

function formOf(bare: string): NumberForm | null {
  if (/^\+1\d{10}$/.test(bare)) return 'e164'
  if (/^1\d{10}$/.test(bare)) return 'country'
  return /^\d{10}$/.test(bare) ? 'national' : null
}

/** Visual separators of RFC 3966, and spaces. */
function withoutSeparators(text: string): string {
  return text.replaceAll(/[-.() ]/g, '')
}

export function writeNumber(e164: string, form: NumberForm): string {
  if (form === 'e164') return e164
  return form === 'country' ? e164.slice(1) : e164.slice(2)
}
