// What `longcode doctor` reports about providers: numbers bought from them, and brands and campaigns registered through
// them.

import {
  findStuckRegistrations,
  findUncarried,
  listRegisteredCampaigns,
  REGISTRATION_STUCK_MS,
} from '../../brands/registration-queries.js'
import type { Database } from '../../kit/postgres/db.js'
import { countStocked } from '../../numbers/number-queries.js'
import {
  findStuckProvisioning,
  PROVISIONING_STUCK_MS,
} from '../../numbers/provider-number-queries.js'
import { plural } from '../../text/plural.js'
import { type Finding, note } from './doctor-checks.js'

export async function checkProviders(db: Database, now: Date): Promise<Finding[]> {
  return [
    ...(await checkProvisioning(db, now)),
    ...(await checkRegistrations(db, now)),
    ...(await checkNetworks(db)),
    ...(await checkStocked(db)),
  ]
}

/** Empty if all is well: most installations buy no numbers from providers. */
async function checkProvisioning(db: Database, now: Date): Promise<Finding[]> {
  const before = new Date(now.getTime() - PROVISIONING_STUCK_MS)
  const { count, since, phase, link, lastError } = await findStuckProvisioning(db, before)
  if (count === 0) return []
  const why = lastError === null ? '' : `: ${lastError}`
  return [
    note(
      'numbers',
      `${counted(count, 'number is waiting for its provider', 'numbers are waiting for their provider')} (${phase}, link ${link}) since ${since?.toISOString()}${why}`,
      'Check the order, the API key, and the balance in the provider’s portal. In phase move, check the number’s assignment: it belongs to another campaign now. Messages from the number wait. Longcode retries automatically.',
    ),
  ]
}

/** Empty if all is well: most installations register nothing through a provider. */
async function checkRegistrations(db: Database, now: Date): Promise<Finding[]> {
  const before = new Date(now.getTime() - REGISTRATION_STUCK_MS)
  const { count, since, recordId, link, lastError } = await findStuckRegistrations(db, before)
  if (count === 0) return []
  return [
    note(
      'registrations',
      `${counted(count, 'brand or campaign is waiting for its provider', 'brands and campaigns are waiting for their provider')} (${recordId}, link ${link}) since ${since?.toISOString()}: ${lastError}`,
      'Check the API key, the balance, and the 10DLC pages in the provider’s portal. Longcode retries automatically and refuses no customer because of it.',
    ),
  ]
}

/** ACTIVE campaigns that a mobile network has not accepted yet, or has suspended. */
async function checkNetworks(db: Database): Promise<Finding[]> {
  const { count, recordId, link, networks } = await findUncarried(db)
  if (count === 0) return []
  return [
    note(
      'networks',
      `${counted(count, 'campaign is not accepted by every mobile network', 'campaigns are not accepted by every mobile network')} (${recordId}, link ${link}): ${networks}`,
      'That network refuses messages until it accepts the campaign. Ask the provider if this takes more than a few days. Longcode checks daily and at each callback of the provider.',
    ),
  ]
}

/** You must assign inventory numbers to the campaign at the provider: networks block messages from unassigned numbers. */
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
      `${counted(count, 'number from your inventory is in a campaign registered through a provider', 'numbers from your inventory are in campaigns registered through a provider')} (${first.campaignId}, link ${first.link}): Longcode does not assign it there`,
      'Assign it to the campaign on the provider’s 10DLC pages, if you have not yet: networks block messages from numbers without a campaign. Numbers bought through the link are assigned automatically.',
    ),
  ]
}

/** With several, the rest of the sentence is about the first. */
function counted(count: number, one: string, many: string): string {
  return plural(count, one, `${many}, the first`)
}
