// Reports to the other processes, through the database, that this one has lost the carrier: every few
// seconds while it has, and once when it is over.

import { randomBytes } from 'node:crypto'
import type { World } from '../../kit/world.js'
import type { CarrierIdentity } from '../carrier-port.js'
import type { CarrierLink } from './carrier-link.js'
import { deleteLostLink, saveLostLink } from './lost-link-queries.js'

const REPORT_EVERY_MS = 2_000

export class LostLinkReporter {
  readonly #world: Pick<World, 'db' | 'clock' | 'log'>
  readonly #carrier: CarrierIdentity
  readonly #link: CarrierLink
  readonly #dispatcher = randomBytes(9).toString('base64url')
  #reportedAtMs: number | null = null

  constructor(
    world: Pick<World, 'db' | 'clock' | 'log'>,
    { carrier, link }: { carrier: CarrierIdentity; link: CarrierLink },
  ) {
    this.#world = world
    this.#carrier = carrier
    this.#link = link
  }

  /** To be called now and then: writes where something has changed, or the row would grow old. */
  async report(): Promise<void> {
    const { downSince } = this.#link
    if (downSince === null) return this.#takeBack()
    if (this.#carrier.isAbsent) return // every process knows by its settings
    const now = this.#world.clock.now()
    const reportedAtMs = this.#reportedAtMs ?? Number.NEGATIVE_INFINITY
    if (now.getTime() - reportedAtMs < REPORT_EVERY_MS) return
    this.#reportedAtMs = now.getTime()
    const lost = { dispatcher: this.#dispatcher, carrier: this.#carrier.name, downSince }
    await saveLostLink(this.#world.db, lost, now)
  }

  /** This process no longer has anything to say. A row that nobody renews is soon forgotten anyway. */
  async withdraw(): Promise<void> {
    const { log } = this.#world
    await this.#takeBack().catch((error) => log.warn({ err: error }, 'lost link not taken back'))
  }

  async #takeBack(): Promise<void> {
    if (this.#reportedAtMs === null) return
    this.#reportedAtMs = null
    await deleteLostLink(this.#world.db, this.#dispatcher, this.#world.clock.now())
  }
}
