// Two carriers at the other end of SMPP links, each behind a network: our own SMSC, which writes down what it takes. One of
// the links may repeat what is of unknown outcome, the other may not. Which network a phone is on, and which link leads
// there, is in the first digits of its number.

import { type Smsc, startSmsc } from '../../src/smsc/smsc.js'
import type { Faults } from '../../src/smsc/smsc-options.js'
import { Network } from './network.js'

export type LinkName = 'once' | 'repeats'
type NetworkName = 'att' | 'tmo' | 'vzw'

export interface Prefix {
  digits: string
  network: NetworkName
  link: LinkName
}

export const PREFIXES: readonly Prefix[] = [
  { digits: '+1415', network: 'att', link: 'once' },
  { digits: '+1628', network: 'tmo', link: 'repeats' },
  { digits: '+1510', network: 'vzw', link: 'once' },
  { digits: '+1212', network: 'vzw', link: 'repeats' },
]

export function prefixOf(number: string): Prefix {
  return PREFIXES.find(({ digits }) => number.startsWith(digits))!
}

/** A message as the carrier took it, whole. */
export interface Taken {
  text: string
  from: string
  to: string
  parts: number
  atMs: number
}

const RECEIPT_DELAY_MS = 150
const REMEMBERED_MAX = 200_000
const SETTLE_SECONDS = 10
const CALM: Partial<Faults> = {
  throttle: 0,
  queueFull: 0,
  lose: 0,
  delayMs: 0,
  reorder: false,
  duplicateAnswers: false,
}

export class ChaosCarrier {
  readonly taken: Taken[] = []
  #smsc!: Smsc
  network!: Network

  private constructor(readonly name: LinkName) {}

  static async start(name: LinkName, seed: number): Promise<ChaosCarrier> {
    const carrier = new ChaosCarrier(name)
    carrier.#smsc = await startSmsc(
      {
        seed,
        receipts: name === 'once' ? 'delivered' : 'mix',
        receiptDelayMs: RECEIPT_DELAY_MS,
        takenMax: REMEMBERED_MAX,
      },
      {
        onMessage: ({ text, from, to, parts }) =>
          carrier.taken.push({
            text: text ?? '',
            from,
            to,
            parts: parts.length,
            atMs: Date.now(),
          }),
      },
    )
    carrier.network = await Network.open(carrier.#smsc.port)
    return carrier
  }

  /** It loses answers, is slow, asks to slow down, says things twice and in another order. */
  misbehave(): void {
    this.#smsc.change({ throttle: 10, queueFull: 5, lose: 5, delayMs: 200 })
    this.#smsc.change({ reorder: true, duplicateAnswers: true })
  }

  behave(): void {
    this.#smsc.change(CALM)
  }

  /** A phone writes; true when it was acknowledged, and so must be known to the service. */
  write(from: string, to: string, text: string): Promise<boolean> {
    return this.#smsc.sendInbound({ from, to, text })
  }

  async close(): Promise<void> {
    await this.network.close()
    await this.#smsc.stop()
  }
}

/** The carriers' file of all nodes. */
export function carriersFile(carriers: readonly ChaosCarrier[]): string {
  const links = carriers.map(({ name, network }) => ({
    name,
    kind: 'smpp',
    host: '127.0.0.1',
    port: network.port,
    systemId: name,
    password: 'secret12',
    window: 20,
    responseTimeoutSeconds: 2,
    enquireLinkSeconds: 2,
    bindTimeoutSeconds: 2,
    reconnect: { firstSeconds: 0.2, maxSeconds: 1 },
    settleSeconds: SETTLE_SECONDS,
    repeatUnknown: name === 'repeats',
  }))
  const routes = carriers.map(({ name }) => ({
    name,
    prefixes: PREFIXES.filter(({ link }) => link === name).map(({ digits }) => digits),
    links: [name],
  }))
  const prefixes = Object.fromEntries(PREFIXES.map(({ digits, network }) => [digits, network]))
  return JSON.stringify({ links, routes, networks: { prefixes } })
}
