// Makes the connections of http-client.ts. A name is resolved here, its addresses are checked, and
// the socket is given only those: there is no second resolution in which DNS could answer otherwise.

import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { connectFailure, HttpFailure } from './http-failure.js'
import { isPublicAddress } from './public-address.js'

/** Answers every address of a name. */
export type Lookup = (host: string) => Promise<readonly string[]>

export interface ConnectorOptions {
  allowPrivate: boolean
  timeoutMs: number
  /** The system's resolver when left out. */
  lookup?: Lookup
}

/** Refuses before connecting, lets the socket use only the addresses it checked, and looks again. */
export function guardedConnector({ allowPrivate, timeoutMs, lookup }: ConnectorOptions) {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: guardedLookup(lookup ?? resolveAll, allowPrivate),
  })
  const mayReach = (address: string) => allowPrivate || isPublicAddress(address)

  return (target: buildConnector.Options, callback: buildConnector.Callback): void => {
    // A literal address never comes to the lookup below.
    if (isIP(target.hostname) !== 0 && !mayReach(target.hostname)) {
      queueMicrotask(() => callback(refusedAddress(), null)) // undici does not expect it at once
      return
    }
    connect(target, (error, socket) => {
      if (error !== null) return callback(connectFailure(error, target.protocol), null)
      if (mayReach(socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      return callback(refusedAddress(), null)
    })
  }
}

/** One private address among several refuses the name: whoever mixes them is probing. */
function guardedLookup(lookup: Lookup, allowPrivate: boolean): LookupFunction {
  return (host, { all }, callback) => {
    const answered = (addresses: readonly string[]) => {
      const [first] = addresses
      if (first === undefined) return callback(dnsFailure(), [])
      if (!allowPrivate && !addresses.every(isPublicAddress)) return callback(refusedAddress(), [])
      if (!all) return callback(null, first, isIP(first))
      return callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      )
    }
    lookup(host).then(answered, (error) => callback(dnsFailure(error), []))
  }
}

async function resolveAll(host: string): Promise<string[]> {
  const found = await systemLookup(host, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

function refusedAddress(): HttpFailure {
  return new HttpFailure('refused_address', 'The host leads to an address that is not public.')
}

function dnsFailure(cause?: unknown): HttpFailure {
  return new HttpFailure('dns', 'The host name could not be resolved.', cause)
}
