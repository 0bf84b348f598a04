// What waits for a provider: numbers that are rented of it, and what is registered through it.

import {
  findStuckRegistrations,
  findUncarried,
  REGISTRATION_STUCK_MS,
} from '../../brands/registration-queries.js'
import type { Database } from '../../kit/postgres/db.js'
import { findStuckRents, RENT_STUCK_MS } from '../../numbers/rented-queries.js'
import { type Finding, note } from './doctor-checks.js'

export async function checkProviders(db: Database, now: Date): Promise<Finding[]> {
  return [
    ...(await checkRents(db, now)),
    ...(await checkRegistrations(db, now)),
    ...(await checkNetworks(db)),
  ]
}

/** Nothing to say where all is well: most services rent no numbers. */
async function checkRents(db: Database, now: Date): Promise<Finding[]> {
  const before = new Date(now.getTime() - RENT_STUCK_MS)
  const { count, since, phase, link, lastError } = await findStuckRents(db, before)
  if (count === 0) return []
  const why = lastError === null ? '' : `: ${lastError}`
  return [
    note(
      'numbers',
      `${count} numbers wait for their provider, the first (${phase}, link ${link}) since ${since?.toISOString()}${why}`,
      'Look at the order on the provider’s pages, at the key and at the balance there. It is tried again by itself.',
    ),
  ]
}

/** Nothing to say where all is well: most services register nothing through a provider. */
async function checkRegistrations(db: Database, now: Date): Promise<Finding[]> {
  const before = new Date(now.getTime() - REGISTRATION_STUCK_MS)
  const { count, since, recordId, link, lastError } = await findStuckRegistrations(db, before)
  if (count === 0) return []
  return [
    note(
      'registrations',
      `${count} brands and campaigns wait for their provider, the first (${recordId}, link ${link}) since ${since?.toISOString()}: ${lastError}`,
      'Look at the key, at the balance and at the 10DLC pages of the provider. It is tried again by itself, and no customer is refused for it.',
    ),
  ]
}

/** A campaign that is ACTIVE, and that a network has not taken up yet, or has suspended. */
async function checkNetworks(db: Database): Promise<Finding[]> {
  const { count, recordId, link, networks } = await findUncarried(db)
  if (count === 0) return []
  return [
    note(
      'networks',
      `${count} campaigns are not carried by every network, the first (${recordId}, link ${link}): ${networks}`,
      'What is sent there is refused until the network takes the campaign up. Ask the provider where it takes more than a few days; it is looked at each day, and at each call of the provider.',
    ),
  ]
}
