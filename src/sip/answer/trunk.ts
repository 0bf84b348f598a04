// A SIP trunk: which sources can send us calls, and the format of the answers.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { NumberForms } from '../forwarding/number-forms.js'
import { readHostPort } from '../message/uri.js'

/** Plain data, all defaults filled in. */
export interface TrunkSettings {
  name: string
  /** Addresses and networks (CIDR) of the trunk. Empty: nobody is answered. */
  sources: readonly string[]
  /** Where redirected calls go: `host` or `host:port`. */
  contactHost: string
  /** Added to Contact as `;transport=`; null: omitted. */
  contactTransport: 'udp' | 'tcp' | 'tls' | null
  /** The host of our number in Diversion and History-Info: `host` or `host:port`. */
  diversionHost: string
  /** Whether Contact also contains the Diversion (`?Diversion=`), for trunks that read it there. */
  isDiversionEmbedded: boolean
  numberForms: NumberForms
  limits: TrunkLimits
}

export interface TrunkLimits {
  /** In one process; 0: only the limit of the process applies. */
  callsPerSecond: number
  /** Forwarded calls over all nodes per UTC day; 0: no limit. */
  callsPerDay: number
}

export const NO_TRUNK_LIMITS: TrunkLimits = { callsPerSecond: 0, callsPerDay: 0 }

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

const REMEMBERED_MAX = 10_000

/** Whether it is valid in the headers of an answer: `host`, `host:port`, `[::1]:port`. */
export function isHostPort(text: string): boolean {
  return !/\s/.test(text) && readHostPort(text) !== null
}

/** The canonical form of a source; null if it is neither an address nor a network. */
export function canonicalNetwork(text: string): { network: string; bits: number } | null {
  const read = readNetwork(text)
  if (read === null) return null
  const [address, bits] = read
  const { IPv4, IPv6 } = ipaddr
  const kind = address.kind() === 'ipv4' ? IPv4 : IPv6
  return { network: `${kind.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`, bits }
}

/** Finds the trunk of a source address by its most specific network. */
export class TrunkFinder {
  readonly #networks: { network: Network; trunk: TrunkSettings }[]
  readonly #remembered = new Map<string, TrunkSettings | null>()

  /** Invalid sources match nothing; reading the settings refuses them. */
  constructor(trunks: readonly TrunkSettings[]) {
    this.#networks = trunks
      .flatMap((trunk) => trunk.sources.map((text) => ({ network: readNetwork(text), trunk })))
      .flatMap(({ network, trunk }) => (network === null ? [] : [{ network, trunk }]))
      .sort((a, b) => b.network[1] - a.network[1])
  }

  /** Null: the source gets no answer. */
  find(address: string): TrunkSettings | null {
    const remembered = this.#remembered.get(address)
    if (remembered !== undefined) return remembered
    const trunk = this.#search(readAddress(address))
    // Spoofed sources of datagrams must not fill the memory.
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear()
    this.#remembered.set(address, trunk)
    return trunk
  }

  #search(address: Address | null): TrunkSettings | null {
    if (address === null) return null
    const match = this.#networks.find(
      ({ network: [net, bits] }) => net.kind() === address.kind() && address.match(net, bits),
    )
    return match?.trunk ?? null
  }
}

/** In the forms sockets report: with a zone, or as an IPv4-mapped IPv6 address. */
function readAddress(text: string): Address | null {
  const [bare = ''] = text.split('%', 1)
  return isIP(bare) === 0 ? null : ipaddr.process(bare)
}

function readNetwork(text: string): Network | null {
  const [addressText = '', bitsText, ...more] = text.split('/')
  const address = readAddress(addressText)
  if (address === null || more.length > 0) return null
  const most = address.kind() === 'ipv4' ? 32 : 128
  if (bitsText === undefined) return [address, most]
  if (!/^\d{1,3}$/.test(bitsText) || Number(bitsText) > most) return null
  return [address, Number(bitsText)]
}
