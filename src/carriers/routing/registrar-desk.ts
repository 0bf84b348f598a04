// The providers that register brands and campaigns, as the settings name them now: the first takes what is submitted,
// each is followed for what it was given.

import { isDeepStrictEqual } from 'node:util'
import type { Registrar, Registrars } from '../../campaigns/registration/registrar.js'
import type { OpenRegistrar } from '../providers/registration-settings.js'
import type { LinkSettings } from '../settings/carrier-settings.js'

interface Seat extends OpenRegistrar {
  settings: LinkSettings['settings']
}

export class RegistrarDesk implements Registrars {
  #seats = new Map<string, Seat>()

  /** What the settings say from now on. Requests under way end in their own time. */
  follow(links: readonly LinkSettings[]): void {
    const former = this.#seats
    this.#seats = new Map()
    for (const { name, settings, openRegistrar } of links) {
      if (!openRegistrar) continue
      const known = former.get(name)
      const isSame = known && isDeepStrictEqual(known.settings, settings)
      this.#seats.set(name, isSame ? known : { ...openRegistrar(), settings })
      if (isSame) former.delete(name)
    }
    for (const { close } of former.values()) void close() // never rejects
  }

  current(): Registrar | null {
    const [first] = this.#seats.values()
    return first?.registrar ?? null
  }

  find(link: string): Registrar | null {
    return this.#seats.get(link)?.registrar ?? null
  }

  async close(): Promise<void> {
    await Promise.all([...this.#seats.values()].map(({ close }) => close()))
  }
}
