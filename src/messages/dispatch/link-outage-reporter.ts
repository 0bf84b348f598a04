// Reports to other processes, through the database, that this one lost the carrier: every few seconds during the
// outage, and once when it ends.

import { randomBytes } from 'node:crypto'
import type { World } from '../../kit/world.js'
import type { CarrierIdentity } from '../carrier-port.js'
import type { CarrierLink } from './carrier-link.js'
import { deleteLinkOutage, saveLinkOutage } from './link-outage-queries.js'

const REPORT_EVERY_MS = 2_000

export class LinkOutageReporter {
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

  /** Runs regularly. Writes if something changed or the row is about to become stale. */
  async report(): Promise<void> {
    const { downSince } = this.#link
    if (downSince === null) return this.#takeBack()
    if (this.#carrier.isAbsent) return // every process sees this in its settings
    const now = this.#world.clock.now()
    const reportedAtMs = this.#reportedAtMs ?? Number.NEGATIVE_INFINITY
    if (now.getTime() - reportedAtMs < REPORT_EVERY_MS) return
    this.#reportedAtMs = now.getTime()
    const lost = { dispatcher: this.#dispatcher, carrier: this.#carrier.name, downSince }
    await saveLinkOutage(this.#world.db, lost, now)
  }

  /** This process has nothing more to report. Rows that nobody renews are purged soon anyway. */
  async withdraw(): Promise<void> {
    const { log } = this.#world
    await this.#takeBack().catch((error) =>
      log.warn({ err: error }, 'clearing a recorded link outage failed'),
    )
  }

  async #takeBack(): Promise<void> {
    if (this.#reportedAtMs === null) return
    this.#reportedAtMs = null
    await deleteLinkOutage(this.#world.db, this.#dispatcher, this.#world.clock.now())
  }
}
