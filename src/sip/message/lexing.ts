// The basic elements of SIP's grammar: lists, parameters, and quoted strings. Text is Latin-1 throughout, so each
// character is one byte and copied values stay unchanged.

import { PARAMETERS_MAX } from './limits.js'

/** Names in lowercase. A parameter without a value has an empty one. There are few, so a Map is not needed. */
export class Parameters {
  readonly #names: readonly string[]
  readonly #values: readonly string[]

  constructor(names: readonly string[], values: readonly string[]) {
    this.#names = names
    this.#values = values
  }

  has(name: string): boolean {
    return this.#names.includes(name)
  }

  /** Of two with the same name, the first counts. */
  get(name: string): string | undefined {
    return this.#values[this.#names.indexOf(name)]
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const [i, name] of this.#names.entries()) yield [name, this.#values[i]!]
  }
}

/** The position after the closing quote of the string that starts at `start`, or -1. */
export function endOfQuoted(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1)
  const backslash = text.indexOf('\\', start + 1)
  if (quote === -1 || backslash === -1 || backslash > quote) return quote === -1 ? -1 : quote + 1
  for (let at = backslash; at < text.length; at++) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return -1
}

/**
 * The trimmed, nonempty pieces between separators outside quoted strings and angle brackets. Null if a quote or bracket
 * is not closed.
 */
export function splitOutside(text: string, separator: ',' | ';'): string[] | null {
  const pieces: string[] = []
  const hasInside = text.includes('"') || text.includes('<')
  for (let begin = 0; begin <= text.length; ) {
    const found = hasInside ? endOfPiece(text, begin, separator) : text.indexOf(separator, begin)
    if (found === OPEN) return null
    const end = found === -1 ? text.length : found
    const piece = text.slice(begin, end).trim()
    if (piece !== '') pieces.push(piece)
    begin = end + 1
  }
  return pieces
}

const OPEN = -2

/** The position of the next separator outside quotes and brackets, or -1. */
function endOfPiece(text: string, begin: number, separator: string): number {
  for (let at = begin; at < text.length; at++) {
    const char = text[at]
    if (char === separator) return at
    if (char !== '"' && char !== '<') continue
    const end = char === '"' ? endOfQuoted(text, at) : text.indexOf('>', at) + 1
    if (end <= 0) return OPEN
    at = end - 1
  }
  return -1
}

/** Parses `;name=value;name` after an address or in a URI. Null if it is malformed. */
export function readParameters(text: string): Parameters | null {
  if (text === '') return NO_PARAMETERS
  const pieces = splitOutside(text, ';')
  if (pieces === null || pieces.length > PARAMETERS_MAX) return null
  const names: string[] = []
  const values: string[] = []
  for (const piece of pieces) {
    const name = parameterName(piece)
    if (name === null) return null
    const equals = piece.indexOf('=')
    names.push(name)
    values.push(equals === -1 ? '' : unquote(piece.slice(equals + 1).trim()))
  }
  return new Parameters(names, values)
}

const NOT_IN_NAMES = /[\s"<>]/

/** In lowercase, or null if there is none. */
export function parameterName(piece: string): string | null {
  const equals = piece.indexOf('=')
  const name = (equals === -1 ? piece : piece.slice(0, equals)).trim().toLowerCase()
  return name === '' || NOT_IN_NAMES.test(name) ? null : name
}

export const NO_PARAMETERS: Parameters = new Parameters([], [])

function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text
  return text.slice(1, -1).replaceAll(/\\(.)/gs, '$1')
}

/** Null if a percent sign is not followed by two hexadecimal digits. */
export function readEscapes(text: string): string | null {
  if (!text.includes('%')) return text
  if (/%(?![0-9a-f]{2})/i.test(text)) return null
  return text.replaceAll(/%(..)/g, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)))
}
