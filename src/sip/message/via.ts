// The Via on top of a request: who sent it, and where the answer goes (RFC 3261, 18.2; RFC 3581).

import { readParameters, splitOutside } from './lexing.js'
import { readHostPort } from './uri.js'

/** Where a message came from, as the socket says. */
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
  /** As written, one by one. */
  parameters: readonly string[]
  hasRport: boolean
}

const SENT_BY = /^SIP\s*\/\s*\d\.\d\s*\/\s*[\w.!%*+`'~-]{1,16}\s+(\S.*)$/i
const RPORT = /^rport\s*(?:=|$)/i
const RECEIVED = /^received\s*(?:=|$)/i
const DEFAULT_PORTS = { udp: 5060, tcp: 5060, tls: 5061 }

export function readVia(value: string): Via | null {
  const [sentBy = '', ...parameters] = splitOutside(value, ';') ?? []
  const place = SENT_BY.exec(sentBy)?.[1]
  const hostPort = place === undefined ? null : readHostPort(place)
  if (hostPort === null || readParameters(parameters.join(';')) === null) return null
  return { sentBy, ...hostPort, parameters, hasRport: parameters.some((one) => RPORT.test(one)) }
}

/** The value for the answer: with what the socket says of the sender, whatever it says itself. */
export function withSource(via: Via, source: Source): string {
  const address = bareAddress(source.address)
  const isAsWritten = bareAddress(via.host).toLowerCase() === address.toLowerCase()
  const parameters = via.parameters
    .filter((one) => !RECEIVED.test(one))
    .map((one) => (RPORT.test(one) ? `rport=${source.port}` : one))
  if (!isAsWritten || via.hasRport) parameters.push(`received=${address}`)
  return [via.sentBy, ...parameters].join(';')
}

/**
 * The port at the source's address that the answer to a datagram goes to. `maddr` is not followed: nobody
 * may point our answers at others.
 */
export function replyPort(via: Via, source: Source): number {
  return via.hasRport ? source.port : (via.port ?? DEFAULT_PORTS[source.transport])
}

/** Without brackets; an IPv4 address inside an IPv6 one is that IPv4 address. */
function bareAddress(text: string): string {
  const bare = text.startsWith('[') ? text.slice(1, -1) : text
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
}
