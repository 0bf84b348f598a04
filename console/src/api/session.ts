// Who is signed in. Asked once at the start; the code of a printed link is exchanged first, and wiped from
// the address before anything else is shown. A session that ends meanwhile is only marked: the page stays,
// and asks for a token in place.

import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { GetSessionReply } from '../../generated/types.gen'
import { call, onSessionEnded } from './call'

export type Session = Omit<GetSessionReply, 'warnings'>

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => call<Session>('GET', '/console/session'),
  staleTime: Number.POSITIVE_INFINITY,
})

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

export async function signIn(secret: { token: string } | { code: string }): Promise<Session> {
  return call<Session>('POST', '/console/session', { body: secret })
}

/** Of one of the two, or of both. */
export function useSignOut(audience?: 'account' | 'operator'): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await call('DELETE', '/console/session', { query: { audience } })
    client.clear()
    location.assign('/console/sign-in')
  }
}

/** The code behind the # of the printed link, taken out of the address; null where there is none. */
export function takeLinkCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('k')
  if (code !== null) history.replaceState(null, '', location.pathname + location.search)
  return code
}

let isEnded = false
const watchers = new Set<() => void>()

export function setSessionEnded(ended: boolean): void {
  isEnded = ended
  for (const watcher of watchers) watcher()
}

onSessionEnded(() => setSessionEnded(true))

export function useSessionEnded(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => isEnded,
  )
}

/** Asks whether the account's session still stands, where nothing else would say so. */
export async function checkSession(): Promise<void> {
  const session = await call<Session>('GET', '/console/session').catch(() => null)
  if (session && !session.account) setSessionEnded(true)
}
