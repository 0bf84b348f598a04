// The pages of this account that the person or token may read: without sandbox pages in production, without Start once it
// is finished.

import { useSession } from '../../api/session'
import { isStartDone } from '../../lib/start-done'
import { GROUPS, type PlaceGroup, START } from './nav'

export function usePlaces(): readonly PlaceGroup[] {
  const { account, mode } = useSession()
  const isDone = isStartDone(account?.accountId ?? '')
  return GROUPS.map(({ title, places }) => ({
    title,
    places: places.filter(
      ({ path, isSandboxOnly, scope }) =>
        (mode === 'sandbox' || !isSandboxOnly) &&
        !(path === START && isDone) &&
        (scope === undefined || account?.scopes.includes(scope)),
    ),
  })).filter(({ places }) => places.length > 0)
}
