// Number sources and registrars at the providers of the current links. A reload keeps unchanged ones and closes the
// rest.

import { isDeepStrictEqual } from 'node:util'
import type { Registrar, Registrars } from '../../campaigns/registration/registrar.js'
import type { HostedNumber, StockFilter } from '../../numbers/number.js'
import type { BuyingCampaign, NumberSource, NumberSources } from '../../numbers/number-source.js'
import type { LinkSettings } from '../settings/carrier-settings.js'
import type { OpenClient } from '../settings/link-kind.js'
import type { NumberHosting } from './number-hosting.js'

class ProviderPool<T> {
  readonly #opener: (link: LinkSettings) => (() => OpenClient<T>) | undefined
  #opened = new Map<string, OpenClient<T> & Pick<LinkSettings, 'settings'>>()

  constructor(opener: (link: LinkSettings) => (() => OpenClient<T>) | undefined) {
    this.#opener = opener
  }

  /** Requests in progress finish normally. */
  follow(links: readonly LinkSettings[]): void {
    const previous = this.#opened
    this.#opened = new Map()
    for (const link of links) {
      const open = this.#opener(link)
      if (!open) continue
      const { name, settings } = link
      const before = previous.get(name)
      const isSame = before && isDeepStrictEqual(before.settings, settings)
      this.#opened.set(name, isSame ? before : { ...open(), settings })
      if (isSame) previous.delete(name)
    }
    for (const { close } of previous.values()) void close() // never rejects
  }

  /** In the order of the links. */
  all(): T[] {
    return [...this.#opened.values()].map(({ client }) => client)
  }

  find(link: string): T | null {
    return this.#opened.get(link)?.client ?? null
  }

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(({ close }) => close()))
  }
}

/**
 * The first provider that carries a campaign sells to it. Each number is released at the provider where it was
 * bought.
 */
export class NumberSourcePool extends ProviderPool<NumberSource> implements NumberSources {
  readonly #hosting: () => NumberHosting

  constructor(hosting: () => NumberHosting) {
    super(({ openNumbers }) => openNumbers)
    this.#hosting = hosting
  }

  get sells(): boolean {
    return this.all().length > 0
  }

  sellers(): NumberSource[] {
    return this.all()
  }

  sellersFor({ id, registeredBy }: BuyingCampaign): NumberSource[] {
    const hosting = this.#hosting()
    return this.all().filter(({ link }) => {
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
}

/** The first provider gets new submissions. Each keeps handling the ones it was given. */
export class RegistrarPool extends ProviderPool<Registrar> implements Registrars {
  constructor() {
    super(({ openRegistrar }) => openRegistrar)
  }

  current(): Registrar | null {
    return this.all()[0] ?? null
  }
}
