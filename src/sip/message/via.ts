// The Via on top of a request: who sent it, and where the answer goes (RFC 3261, 18.2; RFC 3581).

import { parameterName, splitOutside } from './lexing.js'
import { PARAMETERS_MAX } from './limits.js'
import { readHostPort } from './uri.js'

/** The source of a message, from the socket. */
export interface Source {
  transport: 'udp' | 'tcp' | 'tls'
  address: string
  port: number
}

export interface Via {
  /** Protocol and sender, as written. */
  sentBy: string
  host: string
  port: number | null
  /** The parameters as written, and their names. */
  parameters: readonly string[]
  names: readonly string[]
  hasRport: boolean
}

const SENT_BY = /^SIP\s*\/\s*\d\.\d\s*\/\s*[\w.!%*+`'~-]{1,16}\s+(\S.*)$/i
const DEFAULT_PORTS = { udp: 5060, tcp: 5060, tls: 5061 }

export function readVia(value: string): Via | null {
  const parameters = splitOutside(value, ';') ?? []
  const sentBy = parameters.shift() ?? ''
  const place = SENT_BY.exec(sentBy)?.[1]
  const hostPort = place === undefined ? null : readHostPort(place)
  if (hostPort === null || parameters.length > PARAMETERS_MAX) return null
  const names: string[] = []
  for (const parameter of parameters) {
    const name = parameterName(parameter)
    if (name === null) return null
    names.push(name)
  }
  const { host, port } = hostPort
  return { sentBy, host, port, parameters, names, hasRport: names.includes('rport') }
}

/** The value for the answer, with the sender's address from the socket, which overrides the header. */
export function withSource(via: Via, source: Source): string {
  const address = bareAddress(source.address)
  const isAsWritten = bareAddress(via.host).toLowerCase() === address.toLowerCase()
  let text = via.sentBy
  for (let i = 0; i < via.names.length; i++) {
    const name = via.names[i]
    if (name === 'rport') text += `;rport=${source.port}`
    else if (name !== 'received') text += `;${via.parameters[i]}`
  }
  return isAsWritten && !via.hasRport ? text : `${text};received=${address}`
}

/**
 * The port at the source's address that the answer to a datagram goes to. `maddr` is ignored, so no sender can redirect
 * our answers to others.
 */
export function replyPort(via: Via, source: Source): number {
  return via.hasRport ? source.port : (via.port ?? DEFAULT_PORTS[source.transport])
}

/** Without brackets. An IPv4-mapped IPv6 address becomes the IPv4 address. */
function bareAddress(text: string): string {
  if (!text.includes(':')) return text
  const bare = text.startsWith('[') ? text.slice(1, -1) : text
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}
