// The console's entry point: signs in with the printed link if one was followed, then shows the page.

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { useBrandStyle } from './api/branding'
import { refetchAfter } from './api/changes'
import { setJoinCode } from './api/join-code'
import { ApiFailure, onChanged, onRoleRefused } from './api/request'
import {
  checkSession,
  sessionQuery,
  setLinkFailure,
  signIn,
  takeLinkCode,
  useAccessChange,
  useSessionEnded,
} from './api/session'
import { startStream } from './api/stream'
import { makeRouter } from './router'
import { Toasts, toast } from './ui/feedback/Toast'
import './theme.css'

const SessionDialog = lazy(() => import('./ui/shell/SessionDialog'))
const AccessDialog = lazy(() => import('./ui/shell/AccessDialog'))

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000, // the live stream reports changes
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !(error instanceof ApiFailure && error.status < 500),
    },
  },
})
onChanged((route) => refetchAfter(client, route))
onRoleRefused(() => void checkSession(client.getQueryData(sessionQuery.queryKey)))
const router = makeRouter(client)

function Console() {
  const isEnded = useSessionEnded()
  const change = useAccessChange()
  useEffect(() => followAccount(), [])
  return (
    <QueryClientProvider client={client}>
      <BrandStyle />
      <RouterProvider router={router} />
      <Toasts />
      {isEnded ? (
        <Suspense>
          <SessionDialog />
        </Suspense>
      ) : null}
      {change && !isEnded ? (
        <Suspense>
          <AccessDialog change={change} />
        </Suspense>
      ) : null}
    </QueryClientProvider>
  )
}

function BrandStyle() {
  useBrandStyle()
  return null
}

/** The live stream runs while someone is signed in to an account who may read it. */
function followAccount(): () => void {
  let stream: { close: () => void } | null = null
  let followed: string | null = null
  const follow = (): void => {
    const account = client.getQueryData(sessionQuery.queryKey)?.account
    const accountId = account?.scopes.includes('read') ? account.accountId : null
    if (accountId === followed) return
    stream?.close()
    followed = accountId
    stream = accountId ? startStream(client, accountId) : null
  }
  const unsubscribe = client.getQueryCache().subscribe(follow)
  follow()
  return () => {
    unsubscribe()
    stream?.close()
  }
}

/** A used link leads to the signed-in account with a message, or else to the sign-in page, which shows it. */
async function reportLink(failure: Error): Promise<void> {
  const session = await client.fetchQuery(sessionQuery).catch(() => null)
  if (!session?.account && !session?.operator) setLinkFailure(failure)
  else if (failure instanceof ApiFailure && failure.code === 'link_used') toast(LINK_USED)
  else toast(failure.message)
}

const LINK_USED = 'This sign-in link was already used or has expired. You are still signed in.'

async function begin(): Promise<void> {
  const code = takeLinkCode()
  if (location.pathname === '/console/join') setJoinCode(code)
  else if (code) await signIn({ code }).catch(reportLink)
  // The skeleton in index.html stays until the first page is ready.
  await router.load().catch(() => null)
  createRoot(document.getElementById('app')!).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  )
}

void begin()
