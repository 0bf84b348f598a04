// A trunk: who may send us calls, and how the answers have to look for it.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { NumberForms } from '../forwarding/number-forms.js'
import { readHostPort } from '../message/uri.js'

/** Plain data, all defaults filled in. */
export interface TrunkSettings {
  name: string
  /** Addresses and networks (CIDR) that calls come from. None: nobody is answered. */
  sources: readonly string[]
  /** Where redirected calls go: `host` or `host:port`. */
  contactHost: string
  /** Put into Contact as `;transport=`; null for nothing. */
  contactTransport: 'udp' | 'tcp' | 'tls' | null
  /** Stands behind our number in Diversion and History-Info: `host` or `host:port`. */
  diversionHost: string
  /** Whether Contact carries the Diversion inside, too (`?Diversion=`), for those who take it from there. */
  isDiversionEmbedded: boolean
  numberForms: NumberForms
  limits: TrunkLimits
}

export interface TrunkLimits {
  /** In one process; 0: only the process's own limit. */
  callsPerSecond: number
  /** Forwarded calls on all nodes, by the UTC day; 0: no limit. */
  callsPerDay: number
}

export const NO_TRUNK_LIMITS: TrunkLimits = { callsPerSecond: 0, callsPerDay: 0 }

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

const REMEMBERED_MAX = 10_000

/** Whether it can stand in the headers of an answer: `host`, `host:port`, `[::1]:port`. */
export function isHostPort(text: string): boolean {
  return !/\s/.test(text) && readHostPort(text) !== null
}

/** A source in its shortest writing, one for each network; null where it is neither an address nor a network. */
export function canonicalNetwork(text: string): { network: string; bits: number } | null {
  const read = readNetwork(text)
  if (read === null) return null
  const [address, bits] = read
  const { IPv4, IPv6 } = ipaddr
  const kind = address.kind() === 'ipv4' ? IPv4 : IPv6
  return { network: `${kind.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`, bits }
}

/** The trunk of a source address, by its most exact network. */
export class TrunkFinder {
  readonly #networks: { network: Network; trunk: TrunkSettings }[]
  readonly #remembered = new Map<string, TrunkSettings | null>()

  /** Sources that are no networks match nothing: whoever reads the settings refuses them. */
  constructor(trunks: readonly TrunkSettings[]) {
    this.#networks = trunks
      .flatMap((trunk) => trunk.sources.map((text) => ({ network: readNetwork(text), trunk })))
      .flatMap(({ network, trunk }) => (network === null ? [] : [{ network, trunk }]))
      .sort((a, b) => b.network[1] - a.network[1])
  }

  /** Null: the source gets no answer at all. */
  find(address: string): TrunkSettings | null {
    const known = this.#remembered.get(address)
    if (known !== undefined) return known
    const trunk = this.#search(readAddress(address))
    // Made-up senders of datagrams must not fill the memory.
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

/** As a socket may report it: with a zone, or an IPv4 address inside an IPv6 one. */
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
