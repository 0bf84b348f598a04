// What Twilio's clients send: forms and query strings, with a name repeated for each value of a list.

import { isUtf8 } from 'node:buffer'
import { Refusal } from '../kit/contract/refusal.js'
import { TwilioRefusal } from './twilio-error.js'

/** Many times the longest message with ten media URLs. */
export const FORM_BYTES_MAX = 256 * 1024
/** Twilio's clients send about 30. */
const FIELDS_MAX = 200

export class FormBody {
  readonly #fields: URLSearchParams

  constructor(text: string) {
    this.#fields = new URLSearchParams(text)
  }

  /** An empty value counts as missing, except where a client sends one on purpose: see `has`. */
  get(name: string): string | undefined {
    return this.#fields.get(name) || undefined
  }

  has(name: string): boolean {
    return this.#fields.has(name)
  }

  list(name: string): string[] {
    return this.#fields.getAll(name).filter((value) => value !== '')
  }
}

export const EMPTY_FORM = new FormBody('')

/** The text of a body, or why it cannot be read. PostgreSQL cannot store the character NUL. */
export function readForm(bytes: Buffer): { text: string; form: FormBody } | Refusal {
  const text = bytes.toString()
  if (text.includes('\ufffd') && !isUtf8(bytes)) return new Refusal('body_not_utf8')
  if (countOf(text, '&') >= FIELDS_MAX) {
    return new TwilioRefusal(20001, `The request has more than ${FIELDS_MAX} parameters.`)
  }
  if (text.includes('\0') || /%00/.test(text)) {
    return new TwilioRefusal(20001, 'Parameters must not contain the character NUL.')
  }
  return { text, form: new FormBody(text) }
}

function countOf(text: string, char: string): number {
  let count = 0
  for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, at + 1)) count += 1
  return count
}

/** A query string as the router parsed it. A repeated parameter counts once, with its last value. */
export function readQuery(query: unknown): (name: string) => string | undefined {
  const values = query as Record<string, string | string[] | undefined>
  return (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    const text = Array.isArray(value) ? value.at(-1) : value
    if (text?.includes('\0')) {
      throw new TwilioRefusal(20001, 'Parameters must not contain the character NUL.')
    }
    return text || undefined
  }
}
