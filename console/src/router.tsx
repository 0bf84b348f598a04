// All routes of the console. Pages load when someone comes near them. The path is the page and the query is the view,
// so any screen can be shared as a link.

import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from './routes/account'
import { conversationRoutes } from './routes/conversations'
import { operatorPages, operatorRoutes } from './routes/operator'
import { registryRoutes } from './routes/registry'
import { sendRoutes } from './routes/send'
import { go, home, join, more, profile, root, shell, signIn, start } from './routes/shell'
import { trafficRoutes } from './routes/traffic'
import { webhookRoutes } from './routes/webhooks'
import { NotFound, PageError } from './ui/feedback/PageError'
import { PagePending } from './ui/layout/Page'

const PENDING_MS = 150

const routeTree = root.addChildren([
  signIn,
  join,
  profile,
  shell.addChildren([
    home,
    start,
    more,
    go,
    ...trafficRoutes,
    ...sendRoutes,
    ...conversationRoutes,
    ...webhookRoutes,
    ...registryRoutes,
    ...accountRoutes,
  ]),
  operatorPages.addChildren(operatorRoutes),
])

export function makeRouter(client: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/console',
    context: { client },
    defaultPreload: 'intent',
    // A click shows a skeleton if its page takes longer than most.
    defaultPendingComponent: PagePending,
    defaultPendingMs: PENDING_MS,
    defaultPendingMinMs: 0,
    defaultErrorComponent: PageError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
