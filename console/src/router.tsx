// Every address of the console. Pages are loaded when somebody comes near them; the path is the place and
// the query is the view, so that any screen can be pasted into a chat.

import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { campaignsQuery, type MessageFilter, RANGES, type Range } from './api/queries'
import { sessionQuery } from './api/session'
import { SignIn } from './pages/SignIn'
import { AppShell } from './ui/AppShell'
import { NotFound, PageError } from './ui/PageError'

interface Context {
  client: QueryClient
}

const root = createRootRouteWithContext<Context>()({ component: Outlet })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { next?: string } =>
    typeof search.next === 'string' && search.next.startsWith('/') ? { next: search.next } : {},
  component: SignIn,
})

/** Everything that needs an account. */
const house = createRoute({
  getParentRoute: () => root,
  id: 'house',
  component: AppShell,
  beforeLoad: async ({ context, location }) => {
    const { account } = await context.client.ensureQueryData(sessionQuery)
    if (!account) throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
})

const home = createRoute({
  getParentRoute: () => house,
  path: '/',
  // Who can send already wants to know how things are; who cannot yet, what to do next.
  beforeLoad: async ({ context: { client } }) => {
    const { mode } = await client.ensureQueryData(sessionQuery)
    const { campaigns } = await client.ensureQueryData(campaignsQuery)
    const isUnderWay = mode === 'production' || campaigns.some(({ status }) => status === 'ACTIVE')
    throw redirect({ to: isUnderWay ? '/overview' : '/start' })
  },
})

const start = createRoute({
  getParentRoute: () => house,
  path: '/start',
  component: lazyRouteComponent(() => import('./pages/Start'), 'Start'),
})

const handset = createRoute({
  getParentRoute: () => house,
  path: '/handset',
  validateSearch: (search): { phones?: string[] } => {
    const phones = [search.phones].flat().filter((one) => /^\+1\d{10}$/.test(String(one)))
    return phones.length > 0 ? { phones: phones.map(String) } : {}
  },
  component: lazyRouteComponent(() => import('./pages/Handset'), 'Handset'),
})

const overview = createRoute({
  getParentRoute: () => house,
  path: '/overview',
  validateSearch: (search): { range?: Range } =>
    String(search.range) in RANGES ? { range: search.range as Range } : {},
  component: lazyRouteComponent(() => import('./pages/Overview'), 'Overview'),
})

const messages = createRoute({
  getParentRoute: () => house,
  path: '/messages',
  validateSearch: (search): MessageFilter & { open?: string } => {
    const names = ['campaign', 'status', 'direction', 'number', 'open'] as const
    const given = names.filter((name) => search[name] !== undefined && search[name] !== '')
    const texts = Object.fromEntries(given.map((name) => [name, String(search[name])]))
    const code = Number(search.errorCode)
    return Number.isInteger(code) && code > 0 ? { ...texts, errorCode: code } : texts
  },
  component: lazyRouteComponent(() => import('./pages/Messages'), 'Messages'),
})

const message = createRoute({
  getParentRoute: () => house,
  path: '/messages/$id',
  component: lazyRouteComponent(() => import('./pages/MessagePage'), 'MessagePage'),
})

const routeTree = root.addChildren([
  signIn,
  house.addChildren([home, start, overview, messages, message, handset]),
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
