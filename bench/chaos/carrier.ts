// The carriers of a chaos run: two over SMPP and one over HTTP, each behind a network that can fail. The first digits
// of a phone number determine its network and link.

import type { Network } from './network.js'

type LinkName = 'once' | 'repeats' | 'http'
type NetworkName = 'att' | 'tmo' | 'vzw'

export interface Prefix {
  digits: string
  network: NetworkName
  link: LinkName
}

export const PREFIXES: readonly Prefix[] = [
  { digits: '+1415', network: 'att', link: 'once' },
  { digits: '+1628', network: 'tmo', link: 'repeats' },
  { digits: '+1303', network: 'vzw', link: 'http' },
  { digits: '+1510', network: 'vzw', link: 'once' },
  { digits: '+1212', network: 'vzw', link: 'repeats' },
]

export function prefixOf(number: string): Prefix {
  return PREFIXES.find(({ digits }) => number.startsWith(digits))!
}

/** A whole message as the carrier received it. */
export interface Taken {
  text: string
  from: string
  to: string
  parts: number
  atMs: number
  /** What its receipts report, once the service has acknowledged them. Null: not all of them are acknowledged. */
  receipt: 'DELIVERED' | 'FAILED' | null
}

/** A part of a long message. The other parts never arrived, and the service acknowledged its receipt. */
export interface Fragment {
  from: string
  to: string
  text: string
}

export interface ChaosCarrier {
  readonly name: LinkName
  readonly network: Network
  readonly taken: readonly Taken[]
  readonly fragments: readonly Fragment[]
  /** The carrier loses responses, is slow, and throttles. */
  misbehave: () => void
  behave: () => void
  /** Sends an inbound message. Returns true if the service acknowledged it, so it must have it. */
  write: (from: string, to: string, text: string) => Promise<boolean>
  /** What the link needs in the carriers file, apart from its name. */
  linkFields: () => Record<string, unknown>
  close: () => Promise<void>
}

/** Settings of all links: outcomes are settled quickly, because a run is short. */
export const SHARED_FIELDS = { responseTimeoutSeconds: 2, settleSeconds: 10 }

/** The carriers file of all nodes. */
export function carriersFile(carriers: readonly ChaosCarrier[]): string {
  const links = carriers.map((carrier) => ({ name: carrier.name, ...carrier.linkFields() }))
  const routes = carriers.map(({ name }) => ({
    name,
    prefixes: PREFIXES.filter(({ link }) => link === name).map(({ digits }) => digits),
    links: [name],
  }))
  const prefixes = Object.fromEntries(PREFIXES.map(({ digits, network }) => [digits, network]))
  return JSON.stringify({ links, routes, networks: { prefixes } })
}
