// Parses `sip:`, `sips:`, and `tel:` URIs. A number can have parameters before the at sign
// (`sip:+14155550123;npdi;rn=+14155550000@host;user=phone`). They are separate from the parameters of the URI.

import { NO_PARAMETERS, type Parameters, readEscapes, readParameters } from './lexing.js'
import { URI_MAX } from './limits.js'

export interface SipUri {
  /** In lowercase. For schemes other than sip, sips, and tel, nothing else is parsed. */
  scheme: string
  /** Without escapes, parameters, and password, or null if there is none. The number of a `tel:`. */
  user: string | null
  userParameters: Parameters
  /** As written, with brackets for IPv6. Empty for a `tel:`. */
  host: string
  port: number | null
  parameters: Parameters
}

const SCHEME = /^([a-z][a-z0-9+.-]*):(?=.)/i
const HOST_PORT = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,255})(?:\s*:\s*(\d{1,5}))?$/i
const NOT_IN_URIS = /[\s<>"]/

export function readUri(text: string): SipUri | null {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined || text.length > URI_MAX || NOT_IN_URIS.test(text)) return null
  const rest = text.slice(scheme.length + 1)
  if (scheme === 'sip' || scheme === 'sips') return readSip(scheme, rest)
  if (scheme === 'tel') return readTel(rest)
  return make(scheme, NOBODY, NOWHERE, NO_PARAMETERS)
}

function readSip(scheme: string, rest: string): SipUri | null {
  const at = rest.indexOf('@')
  const behind = before(rest.slice(at + 1), '?')
  const place = before(behind, ';')
  const hostPort = readHostPort(place)
  const parameters = readParameters(behind.slice(place.length + 1))
  if (hostPort === null || parameters === null) return null
  const user = at === -1 ? NOBODY : readUser(before(rest.slice(0, at), ':'))
  return user && make(scheme, user, hostPort, parameters)
}

function readTel(rest: string): SipUri | null {
  const user = readUser(rest)
  return user && make('tel', user, NOWHERE, NO_PARAMETERS)
}

type User = Pick<SipUri, 'user' | 'userParameters'>
type HostPort = Pick<SipUri, 'host' | 'port'>

const NOBODY: User = { user: null, userParameters: NO_PARAMETERS }
const NOWHERE: HostPort = { host: '', port: null }

function make(
  scheme: string,
  { user, userParameters }: User,
  { host, port }: HostPort,
  parameters: Parameters,
): SipUri {
  return { scheme, user, userParameters, host, port, parameters }
}

function readUser(text: string): User | null {
  const escaped = before(text, ';')
  const user = readEscapes(escaped)
  const userParameters = readParameters(text.slice(escaped.length + 1))
  return user === null || userParameters === null ? null : { user, userParameters }
}

/** The text before the first such character, or all of it. */
function before(text: string, char: string): string {
  const at = text.indexOf(char)
  return at === -1 ? text : text.slice(0, at)
}

/** `host`, `host:port`, `[::1]:port`. */
export function readHostPort(text: string): HostPort | null {
  const match = HOST_PORT.exec(text)
  if (match === null) return null
  const host = match[1]!
  const port = match[2] === undefined ? null : Number(match[2])
  return port === 0 || (port ?? 0) > 65_535 ? null : { host, port }
}
