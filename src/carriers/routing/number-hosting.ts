// Which links can send from which number, and which links carry a campaign. Pure: built from the carriers file and
// replaced at each reload. A number bought through a provider is hosted only by that provider account. Numbers from
// your own inventory are hosted by the links named in their import, or else by the links that host unnamed
// inventory.

import { BatchWriter } from '../../kit/batch-writer.js'
import { Cache } from '../../kit/cache.js'
import type { World } from '../../kit/world.js'
import { findHostedNumbers } from '../../numbers/hosting-queries.js'
import type { HostedNumber, StockFilter } from '../../numbers/number.js'
import type { CarrierSettings, LinkSettings, RouteSettings } from '../settings/carrier-settings.js'

type Hosts = Pick<LinkSettings, 'name' | 'kind' | 'account' | 'hostsStock'>

export class NumberHosting {
  /** By link: the provider account behind it. */
  readonly #accounts: ReadonlyMap<string, string>
  readonly #stock: ReadonlySet<string>
  readonly #simulators: ReadonlySet<string>
  readonly #routes: readonly RouteSettings[]
  /** Every link hosts every number, so no lookup is needed. */
  readonly isTrivial: boolean

  constructor({ links, routes }: { links: readonly Hosts[]; routes: CarrierSettings['routes'] }) {
    const real = links.filter(({ kind }) => kind !== 'simulator')
    this.#accounts = new Map(links.map(({ name, account }) => [name, account ?? `link ${name}`]))
    this.#stock = new Set(real.filter((link) => hostsStock(link, real)).map(({ name }) => name))
    this.#simulators = new Set(
      links.filter(({ kind }) => kind === 'simulator').map(({ name }) => name),
    )
    this.#routes = routes
    this.isTrivial = real.length === 0
  }

  /** Null: nobody owns the number. */
  hosts(link: string, number: HostedNumber | null): boolean {
    if (this.#simulators.has(link)) return true
    if (number === null) return false
    if (number.link !== null) return this.isSameAccount(link, number.link)
    return number.hosts === null ? this.#stock.has(link) : number.hosts.includes(link)
  }

  /** The names of all links that can send from the number. */
  hostsOf(number: HostedNumber): string[] {
    return [...this.#accounts.keys()].filter((link) => this.hosts(link, number))
  }

  isSameAccount(link: string, other: string): boolean {
    const account = this.#accounts.get(link)
    return account !== undefined && account === this.#accounts.get(other)
  }

  /** Every link that some message of the campaign may be routed to. */
  carriersOf(campaignId: string): ReadonlySet<string> {
    const carriers = new Set<string>()
    for (const route of this.#routes) {
      if (route.campaigns !== null && !route.campaigns.includes(campaignId)) continue
      for (const { link } of route.links) carriers.add(link)
      for (const link of route.failover) carriers.add(link)
      // A route that names the campaign decides for it, whatever hosts the number.
      const { networks, prefixes, types } = route
      const takesAll = networks === null && prefixes === null && types === null
      if (route.campaigns !== null && takesAll) break
    }
    return carriers
  }

  /** Null: all of it, because a simulator hosts every number. */
  stockFor(campaignId: string): StockFilter | null {
    const links = [...this.carriersOf(campaignId)]
    if (links.some((link) => this.#simulators.has(link))) return null
    return { links, isUnnamedHosted: links.some((link) => this.#stock.has(link)) }
  }

  canSend(number: HostedNumber, campaignId: string): boolean {
    return [...this.carriersOf(campaignId)].some((link) => this.hosts(link, number))
  }
}

/** Unnamed stock is hosted by the aggregators connected over SMPP, or by the only account. */
function hostsStock({ account, hostsStock }: Hosts, real: readonly Hosts[]): boolean {
  return hostsStock ?? (account === undefined || real.every((other) => other.account === account))
}

const NUMBERS_MAX = 50_000
const KEPT_MS = 30_000
/** It may have just been bought. */
const KEPT_UNKNOWN_MS = 1_000
const NUMBERS_PER_QUERY_MAX = 1_000

/**
 * The hosts of sending numbers, in memory, so routing costs no query per message. Unknown ones are read in
 * batches, at most twice a minute per number, because a number changes hosts only when it is sold or imported
 * again.
 */
export class NumberHosts {
  readonly #log: World['log']
  readonly #numbers = new Cache<string, HostedNumber | null>({
    max: NUMBERS_MAX,
    keptMs: (number) => (number ? KEPT_MS : KEPT_UNKNOWN_MS),
  })
  readonly #reader: BatchWriter<string, HostedNumber | null>

  constructor({ db, log }: Pick<World, 'db' | 'log'>) {
    this.#log = log
    this.#reader = new BatchWriter({
      batchMax: NUMBERS_PER_QUERY_MAX,
      write: async (phoneNumbers) => {
        const found = await findHostedNumbers(db, phoneNumbers)
        return phoneNumbers.map((phoneNumber) => found.get(phoneNumber) ?? null)
      },
    })
  }

  /** Null for a number that nobody owns. Undefined: it must be read first. */
  peek(phoneNumber: string): HostedNumber | null | undefined {
    return this.#numbers.peek(phoneNumber)
  }

  /** Null if it is known. Never rejects: a failed read leaves it unknown. */
  read(phoneNumber: string): Promise<void> | null {
    if (this.#numbers.peek(phoneNumber) !== undefined) return null
    return this.#numbers
      .get(phoneNumber, (one) => this.#reader.add(one))
      .then(
        () => {},
        (error) => this.#log.warn({ err: error }, 'the hosts of numbers could not be read'),
      )
  }

  /** The same for all unknown numbers. */
  readAll(phoneNumbers: Iterable<string>): Promise<unknown> | null {
    const reads = [...new Set(phoneNumbers)].flatMap((one) => this.read(one) ?? [])
    return reads.length === 0 ? null : Promise.all(reads)
  }
}
