// What waits for a provider: numbers that are rented of it, and what is registered through it.

import {
  findStuckRegistrations,
  findUncarried,
  listRegisteredCampaigns,
  REGISTRATION_STUCK_MS,
} from '../../brands/registration-queries.js'
import type { Database } from '../../kit/postgres/db.js'
import { countStocked } from '../../numbers/number-queries.js'
import { findStuckRents, RENT_STUCK_MS } from '../../numbers/rented-queries.js'
import { type Finding, note } from './doctor-checks.js'

export async function checkProviders(db: Database, now: Date): Promise<Finding[]> {
  return [
    ...(await checkRents(db, now)),
    ...(await checkRegistrations(db, now)),
    ...(await checkNetworks(db)),
    ...(await checkStocked(db)),
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
      `${counted(count, 'number waits for its provider', 'numbers wait for their provider')} (${phase}, link ${link}) since ${since?.toISOString()}${why}`,
      'Look at the order on the provider’s pages (move: at what it is assigned to, for it belongs to another campaign now), at the key and at the balance there. What is sent from it waits. It is tried again by itself.',
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
      `${counted(count, 'brand or campaign waits for its provider', 'brands and campaigns wait for their provider')} (${recordId}, link ${link}) since ${since?.toISOString()}: ${lastError}`,
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
      `${counted(count, 'campaign is not carried by every network', 'campaigns are not carried by every network')} (${recordId}, link ${link}): ${networks}`,
      'What is sent there is refused until the network takes the campaign up. Ask the provider where it takes more than a few days; it is looked at each day, and at each call of the provider.',
    ),
  ]
}

/** Numbers that the host has brought are assigned there by the host: networks block the texts of those that are not. */
async function checkStocked(db: Database): Promise<Finding[]> {
  const registered = await listRegisteredCampaigns(db)
  if (registered.length === 0) return []
  const stocked = await countStocked(db, registered)
  const first = registered.find(({ campaignId }) => stocked.has(campaignId))
  if (!first) return []
  const count = [...stocked.values()].reduce((sum, one) => sum + one, 0)
  return [
    note(
      'assignments',
      `${counted(count, 'number of your own stock is in a campaign that is registered through a provider', 'numbers of your own stock are in campaigns that are registered through a provider')} (${first.campaignId}, link ${first.link}): it is not assigned there by Longcode`,
      'Assign it to the campaign on the provider’s 10DLC pages, unless you have: networks block what is sent from a number without a campaign. Numbers that are bought through the link are assigned by themselves.',
    ),
  ]
}

/** Of several, what follows is about the first. */
function counted(count: number, one: string, many: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}, the first`
}
