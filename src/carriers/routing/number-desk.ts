// The providers that numbers are bought from, as the settings name them now. The first one that carries a campaign sells
// to it; each takes back what was bought of it.

import { isDeepStrictEqual } from 'node:util'
import type { HostedNumber, StockFilter } from '../../numbers/number.js'
import type { BuyingCampaign, NumberSource, NumberSources } from '../../numbers/number-source.js'
import type { OpenSource } from '../providers/number-settings.js'
import type { LinkSettings } from '../settings/carrier-settings.js'
import type { NumberHosting } from './number-hosting.js'

interface Seat extends OpenSource {
  settings: LinkSettings['settings']
}

export class NumberDesk implements NumberSources {
  readonly #hosting: () => NumberHosting
  #seats = new Map<string, Seat>()

  constructor(hosting: () => NumberHosting) {
    this.#hosting = hosting
  }

  /** What the settings say from now on. Requests under way end in their own time. */
  follow(links: readonly LinkSettings[]): void {
    const former = this.#seats
    this.#seats = new Map()
    for (const { name, settings, openNumbers } of links) {
      if (!openNumbers) continue
      const known = former.get(name)
      const isSame = known && isDeepStrictEqual(known.settings, settings)
      this.#seats.set(name, isSame ? known : { ...openNumbers(), settings })
      if (isSame) former.delete(name)
    }
    for (const { close } of former.values()) void close() // never rejects
  }

  get sells(): boolean {
    return this.#seats.size > 0
  }

  sellers(): NumberSource[] {
    return [...this.#seats.values()].map(({ source }) => source)
  }

  sellersFor({ id, registeredBy }: BuyingCampaign): NumberSource[] {
    const hosting = this.#hosting()
    return this.sellers().filter(({ link }) => {
      const isRegistered = registeredBy === null || hosting.isSameAccount(link, registeredBy)
      return isRegistered && hosting.canSend({ link, hosts: null }, id)
    })
  }

  stockFor(campaignId: string): StockFilter | null {
    return this.#hosting().stockFor(campaignId)
  }

  canSend(number: HostedNumber, campaignId: string): boolean {
    return this.#hosting().canSend(number, campaignId)
  }

  find(link: string): NumberSource | null {
    return this.#seats.get(link)?.source ?? null
  }

  async close(): Promise<void> {
    await Promise.all([...this.#seats.values()].map(({ close }) => close()))
  }
}
