// The providers that numbers are rented from, as the settings name them now: the first sells, each takes back what was
// bought of it.

import { isDeepStrictEqual } from 'node:util'
import type { NumberSource, NumberSources } from '../../numbers/number-source.js'
import type { OpenSource } from '../numbers/number-settings.js'
import type { LinkSettings } from '../settings/carrier-settings.js'

interface Seat extends OpenSource {
  settings: LinkSettings['settings']
}

export class NumberDesk implements NumberSources {
  #seats = new Map<string, Seat>()

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

  seller(): NumberSource | null {
    const [first] = this.#seats.values()
    return first?.source ?? null
  }

  find(link: string): NumberSource | null {
    return this.#seats.get(link)?.source ?? null
  }

  async close(): Promise<void> {
    await Promise.all([...this.#seats.values()].map(({ close }) => close()))
  }
}
