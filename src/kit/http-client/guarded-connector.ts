// Makes the connections of http-client.ts. It resolves a name, checks the addresses, and gives the socket
// only those. There is no second resolution in which DNS could return something else.

import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type AllowList, NOTHING_ALLOWED } from '../allow-list.js'
import { connectFailure, HttpFailure } from './http-failure.js'
import { isPublicAddress } from './public-address.js'

/** Returns every address of a name. */
type Lookup = (host: string) => Promise<readonly string[]>

export interface ConnectorOptions {
  allowPrivate: boolean
  /** Private destinations that are allowed; none by default. */
  allow?: AllowList
  timeoutMs: number
  /** Default: the system's resolver. */
  lookup?: Lookup
}

/** Whether this host may be reached at this address. */
type MayReach = (host: string, address: string) => boolean

/** Refuses before connecting, gives the socket only the checked addresses, and checks again. */
export function guardedConnector(options: ConnectorOptions) {
  const { allowPrivate, allow = NOTHING_ALLOWED, timeoutMs, lookup = resolveAll } = options
  const mayReach: MayReach = (host, address) =>
    allowPrivate || isPublicAddress(address) || allow.hasAddress(host, address)
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup(lookup, mayReach) })

  return (target: buildConnector.Options, callback: buildConnector.Callback): void => {
    const host = target.hostname
    // A literal address does not pass through the lookup below.
    if (isIP(host) !== 0 && !mayReach(host, host)) {
      queueMicrotask(() => callback(refusedAddress(), null)) // undici does not expect it synchronously
      return
    }
    connect(target, (error, socket) => {
      if (error !== null) return callback(connectFailure(error, target.protocol), null)
      if (mayReach(host, socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      return callback(refusedAddress(), null)
    })
  }
}

/** One private address among several refuses the name: mixing them is a sign of probing. */
function guardedLookup(lookup: Lookup, mayReach: MayReach): LookupFunction {
  return (host, { all }, callback) => {
    const answered = (addresses: readonly string[]) => {
      const [first] = addresses
      if (first === undefined) return callback(dnsFailure(), [])
      if (!addresses.every((address) => mayReach(host, address))) {
        return callback(refusedAddress(), [])
      }
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
