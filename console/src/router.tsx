// Every address of the console. Pages are loaded when somebody comes near them; the path is the place and
// the query is the view, so that any screen can be pasted into a chat.

import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from './routes/account'
import { conversationRoutes } from './routes/conversations'
import { operatorPages, operatorRoutes } from './routes/operator'
import { registryRoutes } from './routes/registry'
import { sendRoutes } from './routes/send'
import { go, home, more, root, shell, signIn, start } from './routes/shell'
import { trafficRoutes } from './routes/traffic'
import { webhookRoutes } from './routes/webhooks'
import { NotFound, PageError } from './ui/PageError'

const routeTree = root.addChildren([
  signIn,
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
