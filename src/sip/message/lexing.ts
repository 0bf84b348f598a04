// The small change of SIP's grammar: lists, parameters and quoted strings. Text is latin1 throughout, so
// each character is one octet and what is copied leaves as it came.

import { PARAMETERS_MAX } from './limits.js'

/** Names in lower case. A parameter without a value has an empty one. */
export type Parameters = ReadonlyMap<string, string>

/** The place behind the quote that ends the string which begins at `start`, or -1. */
export function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return -1
}

/**
 * The trimmed pieces between separators that stand outside of quoted strings and angle brackets; empty
 * ones are left out. Null where a quote or a bracket is left open.
 */
export function splitOutside(text: string, separator: ',' | ';'): string[] | null {
  if (text.includes('"') || text.includes('<')) return trimmed(cutOutside(text, separator))
  if (text.includes(separator)) return trimmed(text.split(separator))
  const whole = text.trim()
  return whole === '' ? [] : [whole]
}

function trimmed(pieces: readonly string[] | null): string[] | null {
  return pieces?.map((piece) => piece.trim()).filter((piece) => piece !== '') ?? null
}

function cutOutside(text: string, separator: string): string[] | null {
  const pieces: string[] = []
  let begin = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"' || char === '<') {
      const end = char === '"' ? endOfQuoted(text, at) : text.indexOf('>', at) + 1
      if (end <= 0) return null
      at = end - 1
    } else if (char === separator) {
      pieces.push(text.slice(begin, at))
      begin = at + 1
    }
  }
  return [...pieces, text.slice(begin)]
}

/** `;name=value;name` as it stands behind an address or in a URI. Null where it is malformed. */
export function readParameters(text: string): Parameters | null {
  if (text === '') return NO_PARAMETERS
  const pieces = splitOutside(text, ';')
  if (pieces === null || pieces.length > PARAMETERS_MAX) return null
  const parameters = new Map<string, string>()
  for (const piece of pieces) {
    const equals = piece.indexOf('=')
    const name = (equals === -1 ? piece : piece.slice(0, equals)).trim().toLowerCase()
    if (name === '' || /[\s"<>]/.test(name)) return null
    // Of two with one name the first counts.
    if (!parameters.has(name))
      parameters.set(name, equals === -1 ? '' : unquote(piece.slice(equals + 1).trim()))
  }
  return parameters
}

const NO_PARAMETERS: Parameters = new Map()

function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text
  return text.slice(1, -1).replaceAll(/\\(.)/gs, '$1')
}

/** Null where a percent sign stands before anything but two hexadecimal digits. */
export function readEscapes(text: string): string | null {
  if (!text.includes('%')) return text
  if (/%(?![0-9a-f]{2})/i.test(text)) return null
  return text.replaceAll(/%(..)/g, (_, octet) => String.fromCharCode(Number.parseInt(octet, 16)))
}
