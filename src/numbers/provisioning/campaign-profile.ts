// What a campaign's numbers belong to at a provider: one profile, service, or application for each campaign, so a
// STOP there affects only that campaign. Created when needed, once, however many numbers are bought at the same
// time.

import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import type { World } from '../../kit/world.js'
import type { NumberSource } from '../number-source.js'
import {
  claimProfile,
  deleteProfile,
  findProfileId,
  type ProfileKey,
  type ProvisioningTask,
  recordProfile,
} from '../provider-number-queries.js'

export async function profileFor(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  source: NumberSource,
  { accountId, campaignId }: Pick<ProvisioningTask, 'accountId' | 'campaignId'>,
): Promise<string> {
  const profile = source.profileOf(campaignId)
  if (profile !== null) return profile
  const key = { accountId, campaignId, link: source.link }
  const now = clock.now()
  const abandonedBefore = new Date(now.getTime() - source.settleMs)
  const claimed = await claimProfile(db, key, { now, abandonedBefore })
  if (claimed === 'busy') return findMade({ db }, source, key)
  return claimed === 'ours' ? makeProfile({ db }, source, key) : claimed.id
}

/** Another process is creating it, or created it and died before recording it. In that case it exists. */
async function findMade(
  { db }: Pick<World, 'db'>,
  source: NumberSource,
  key: ProfileKey,
): Promise<string> {
  const id = await source.findProfile(key.campaignId)
  if (id === null)
    throw new RemoteFault('later', 'The messaging profile of the campaign is being created.')
  await recordProfile(db, key, id)
  return id
}

/** Of the campaign that a number was last bound to. Null if that has none. */
export async function previousProfile(
  { db }: Pick<World, 'db'>,
  source: NumberSource,
  { accountId, campaignId }: Pick<ProvisioningTask, 'accountId' | 'campaignId'>,
): Promise<string | null> {
  const profile = source.profileOf(campaignId)
  return profile ?? findProfileId(db, { accountId, campaignId, link: source.link })
}

/** Looked up first, because a process may have created it and died before recording it. */
async function makeProfile(
  { db }: Pick<World, 'db'>,
  source: NumberSource,
  key: ProfileKey,
): Promise<string> {
  try {
    const { campaignId } = key
    const id = (await source.findProfile(campaignId)) ?? (await source.createProfile(campaignId))
    await recordProfile(db, key, id)
    return id
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error
    if (error.kind !== 'unknown') await deleteProfile(db, key)
    // The operator must fix this. No customer's number fails because of it.
    throw new RemoteFault('later', error.message)
  }
}
