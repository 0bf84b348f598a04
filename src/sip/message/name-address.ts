// The address format of From, To, Contact, Diversion, and History-Info: `"Name" <uri>;parameters`, or a bare URI, whose
// parameters then belong to the header (RFC 3261, 20.10).

import { endOfQuoted, type Parameters, readParameters } from './lexing.js'

export interface NameAddress {
  uri: string
  parameters: Parameters
}

/** Null if it is not an address. The URI is not parsed. */
export function readNameAddress(text: string): NameAddress | null {
  const start = text.startsWith('"') ? endOfQuoted(text, 0) : 0
  if (start === -1) return null
  const open = text.indexOf('<', start)
  if (open === -1) return start === 0 ? readBare(text) : null
  const close = text.indexOf('>', open)
  const between = text.slice(start, open)
  if (close === -1 || between.includes('"') || (start > 0 && between.trim() !== '')) return null
  return make(text.slice(open + 1, close), text.slice(close + 1).trim())
}

function readBare(text: string): NameAddress | null {
  const end = text.search(/[;\s]/)
  return end === -1 ? make(text, '') : make(text.slice(0, end), text.slice(end).trim())
}

function make(uri: string, behind: string): NameAddress | null {
  if (uri === '' || (behind !== '' && !behind.startsWith(';'))) return null
  const parameters = readParameters(behind)
  return parameters && { uri, parameters }
}
