// The credential of an account, cached like access tokens.

import { Cache } from '../kit/cache.js'
import type { World } from '../kit/world.js'
import { findCredential, type TwilioCredential } from './credential-queries.js'

/** As for access tokens: a revoked credential stops signing soon. */
const KEPT_MS = 2_000
const KEPT_MAX = 10_000

type CredentialFinder = (accountId: string) => Promise<TwilioCredential | null>

export function createCredentialFinder({ db }: Pick<World, 'db'>): CredentialFinder {
  const credentials = new Cache<string, TwilioCredential | null>({ max: KEPT_MAX, keptMs: KEPT_MS })
  return (accountId) => credentials.get(accountId, () => findCredential(db, accountId))
}
