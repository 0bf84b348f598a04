// URIs of calls: `sip:`, `sips:` and `tel:`. A number may carry parameters of its own before the at sign
// (`sip:+14155550123;npdi;rn=+14155550000@host;user=phone`); they are read apart from those of the URI.

import { type Parameters, readEscapes, readParameters } from './lexing.js'
import { URI_MAX } from './limits.js'

export interface SipUri {
  /** In lower case. Of any other than sip, sips and tel nothing else is read. */
  scheme: string
  /** Without escapes, parameters and password; null where there is none. The number of a `tel:`. */
  user: string | null
  userParameters: Parameters
  /** As written, an IPv6 address in brackets; empty for a `tel:`. */
  host: string
  port: number | null
  parameters: Parameters
}

const SCHEME = /^([a-z][a-z0-9+.-]*):(?=.)/i
const HOST_PORT = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,255})(?:\s*:\s*(\d{1,5}))?$/i
const NONE: Parameters = new Map()

export function readUri(text: string): SipUri | null {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined || text.length > URI_MAX || /[\s<>"]/.test(text)) return null
  const rest = text.slice(scheme.length + 1)
  if (scheme === 'sip' || scheme === 'sips') return readSip(scheme, rest)
  if (scheme === 'tel') return readTel(rest)
  return { scheme, user: null, userParameters: NONE, host: '', port: null, parameters: NONE }
}

function readSip(scheme: string, rest: string): SipUri | null {
  const at = rest.indexOf('@')
  const [place = '', parameterText] = cutAt(cutAt(rest.slice(at + 1), '?')[0], ';')
  const hostPort = readHostPort(place)
  const parameters = readParameters(parameterText)
  if (hostPort === null || parameters === null) return null
  if (at === -1) return { scheme, user: null, userParameters: NONE, ...hostPort, parameters }
  const user = readUser(cutAt(rest.slice(0, at), ':')[0])
  return user && { scheme, ...user, ...hostPort, parameters }
}

function readTel(rest: string): SipUri | null {
  const user = readUser(rest)
  return user && { scheme: 'tel', ...user, host: '', port: null, parameters: NONE }
}

function readUser(text: string): Pick<SipUri, 'user' | 'userParameters'> | null {
  const [escaped, parameterText] = cutAt(text, ';')
  const user = readEscapes(escaped)
  const userParameters = readParameters(parameterText)
  return user === null || userParameters === null ? null : { user, userParameters }
}

/** What stands before and behind the first such character. */
function cutAt(text: string, char: string): [string, string] {
  const at = text.indexOf(char)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** `host`, `host:port`, `[::1]:port`. */
export function readHostPort(text: string): { host: string; port: number | null } | null {
  const [, host, digits] = HOST_PORT.exec(text) ?? []
  if (host === undefined) return null
  const port = digits === undefined ? null : Number(digits)
  return port === 0 || (port ?? 0) > 65_535 ? null : { host, port }
}
