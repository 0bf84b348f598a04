// The carriers of a chaos run: two over SMPP, one over HTTP, each behind a network that can fail, and the simulator,
// which is part of the service. The first digits of a phone number determine its network and link.

import type { Network } from './network.js'

type LinkName = 'once' | 'repeats' | 'http' | 'simulator'
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
  { digits: '+1206', network: 'vzw', link: 'simulator' },
]

/** While its link is down, the other SMPP link takes its messages. */
const FAILS_OVER = '+1510'

export function prefixOf(number: string): Prefix {
  return PREFIXES.find(({ digits }) => number.startsWith(digits))!
}

/** A final outcome that a carrier reports. */
export interface Report {
  status: 'DELIVERED' | 'FAILED'
  /** Our codes for the carrier's reasons, one for each part that failed. The first that arrives counts. */
  codes: readonly number[]
}

/** A whole message as the carrier received it. */
export interface Taken {
  text: string
  from: string
  to: string
  parts: number
  atMs: number
  /** What its receipts report, acknowledged or not. Null: none has left that decides it. */
  report: Report | null
  /** The same, once the service has acknowledged them. Null: not all of them are acknowledged. */
  receipt: 'DELIVERED' | 'FAILED' | null
}

/** A part of a long message. The other parts never arrived. */
export interface Fragment {
  from: string
  to: string
  text: string
  report: Report | null
  /** The service acknowledged its receipt. */
  isReceipted: boolean
}

/** A message, or a part of one, that the carrier refused permanently when it was submitted. */
export interface Refused {
  from: string
  to: string
  text: string
  /** Our code for the carrier's reason. */
  code: number
}

export interface ChaosCarrier {
  readonly name: Exclude<LinkName, 'simulator'>
  readonly network: Network
  readonly taken: readonly Taken[]
  readonly fragments: readonly Fragment[]
  readonly refused: readonly Refused[]
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
  const links = [
    ...carriers.map((carrier) => ({ name: carrier.name, ...carrier.linkFields() })),
    { name: 'simulator', kind: 'simulator' },
  ]
  const routes = PREFIXES.map(({ digits, link }) => ({
    ...{ name: digits.slice(1), prefixes: [digits], links: [link] },
    ...(digits === FAILS_OVER && { failover: ['repeats'] }),
  }))
  const prefixes = Object.fromEntries(PREFIXES.map(({ digits, network }) => [digits, network]))
  return JSON.stringify({ links, routes, networks: { prefixes } })
}
