// The signed-in session, read once at startup. The code of a printed link is exchanged first and removed from
// the address bar before anything is shown. When a session ends, the page stays and asks for a token in
// place.

import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { GetSessionReply } from '../../generated/types.gen'
import { describeAccessChange } from '../lib/access-change'
import { clearDrafts } from '../lib/drafts'
import { clearViews } from '../lib/saved-views'
import { onSessionEnded, request } from './request'

export type Session = Omit<GetSessionReply, 'warnings'>

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => request('GET /console/session', {}),
  staleTime: Number.POSITIVE_INFINITY,
})

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

export type AccountScope = NonNullable<Session['account']>['scopes'][number]

/** Whether the person or token has this scope. */
export function useMay(scope: AccountScope): boolean {
  return useSession().account?.scopes.includes(scope) ?? false
}

export async function signIn(secret: { token: string } | { code: string }): Promise<Session> {
  return request('POST /console/session', { body: secret })
}

/** Signs out of the account, the operator pages, or both. */
export function useSignOut(audience?: 'account' | 'operator'): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await request('DELETE /console/session', { query: { audience } })
    clearDrafts(audience)
    if (audience !== 'operator') clearViews()
    client.clear()
    location.assign('/console/sign-in')
  }
}

/** All tabs follow: the session shows one account at a time. The page starts again with nothing of the other account. */
export async function switchAccount(accountId: string): Promise<void> {
  await request('POST /console/session/account', { body: { accountId } })
  clearDrafts('account')
  location.assign('/console/')
}

/** The code after the # of the printed link, removed from the address bar. Null: there is none. */
export function takeLinkCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('k')
  if (code !== null) history.replaceState(null, '', location.pathname + location.search)
  return code
}

let linkFailure: Error | null = null

/** Why the link did not sign in, for the sign-in page. */
export function setLinkFailure(failure: Error): void {
  linkFailure = failure
}

export function lastLinkFailure(): Error | null {
  return linkFailure
}

let isEnded = false
const watchers = new Set<() => void>()

export function setSessionEnded(ended: boolean): void {
  isEnded = ended
  for (const watcher of watchers) watcher()
}

onSessionEnded(() => setSessionEnded(true))

function watchSession(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(watchSession, () => isEnded)
}

let accessChange: string | null = null

/** What changed about the person's access while the page was open, as a sentence; null: nothing. */
export function useAccessChange(): string | null {
  return useSyncExternalStore(watchSession, () => accessChange)
}

let isChecking = false

/** Checks whether the session is still what the page shows, when nothing else would reveal it. */
export async function checkSession(shown: Session | undefined): Promise<void> {
  if (isChecking) return
  isChecking = true
  const now = await request('GET /console/session', {}).catch(() => null)
  isChecking = false
  if (!now || !shown) return
  if (shown.user && now.user) {
    accessChange = describeAccessChange(shown, now)
    for (const watcher of watchers) watcher()
  } else if (shown.account && !now.account) setSessionEnded(true)
}
