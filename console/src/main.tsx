// The console's beginning: signs in by the printed link where one was followed, then shows the page.

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiFailure, onSessionEnded } from './api/call'
import { sessionQuery, signIn, takeLinkCode } from './api/session'
import { startStream } from './api/stream'
import { makeRouter } from './router'
import './theme.css'

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000, // the live stream says when something has changed
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && !(error instanceof ApiFailure && error.status < 500),
    },
  },
})
const router = makeRouter(client)

function Console() {
  useEffect(() => {
    let stream: { close: () => void } | null = null
    const follow = () => {
      const isSignedIn = Boolean(client.getQueryData(sessionQuery.queryKey)?.account)
      if (isSignedIn) stream ??= startStream(client)
    }
    const unsubscribe = client.getQueryCache().subscribe(follow)
    const unlisten = onSessionEnded(() => {
      client.setQueryData(sessionQuery.queryKey, (known) => known && { ...known, account: null })
      void router.invalidate()
    })
    follow()
    return () => {
      unsubscribe()
      unlisten()
      stream?.close()
    }
  }, [])
  return (
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  )
}

async function begin(): Promise<void> {
  const code = takeLinkCode()
  // A link that has been used leads to whoever is signed in already, else to the page that asks for a token.
  if (code) await signIn({ code }).catch(() => null)
  createRoot(document.getElementById('app')!).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  )
}

void begin()
