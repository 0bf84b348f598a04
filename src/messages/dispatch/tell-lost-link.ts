// Tells the other processes, through the database, that this one has lost the carrier: every few seconds
// while it has, and once when it is over.

import { randomBytes } from 'node:crypto'
import type { World } from '../../kit/world.js'
import type { Carrier } from '../carrier-port.js'
import type { CarrierLink } from './carrier-link.js'
import { deleteLostLink, saveLostLink } from './lost-link-queries.js'

const TELL_EVERY_MS = 2_000

export interface LostLinkTeller {
  tell: () => Promise<void>
  stop: () => Promise<void>
}

export function createLostLinkTeller(
  { db, clock, log }: World,
  carrier: Carrier,
  link: CarrierLink,
): LostLinkTeller {
  const dispatcher = randomBytes(9).toString('base64url')
  let toldAtMs: number | null = null

  const takeBack = async (): Promise<void> => {
    if (toldAtMs === null) return
    toldAtMs = null
    await deleteLostLink(db, dispatcher, clock.now())
  }

  return {
    tell: async () => {
      const { downSince } = link
      if (downSince === null) return takeBack()
      const now = clock.now()
      const isTold = toldAtMs !== null && now.getTime() - toldAtMs < TELL_EVERY_MS
      if (isTold || carrier.isAbsent) return // every process knows by its settings
      toldAtMs = now.getTime()
      await saveLostLink(db, { dispatcher, carrier: carrier.name, downSince }, now)
    },
    // A row that nobody renews is soon forgotten: not worth failing the stop.
    stop: () => takeBack().catch((error) => log.warn({ err: error }, 'lost link not taken back')),
  }
}
