// The root of all addresses: the sign-in page, the shell around every page that needs an account, and the operator
// pages, which need an operator token.

import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { campaignsQuery } from '../api/queries'
import { sessionQuery } from '../api/session'
import { LoneNotFound, LonePageError } from '../ui/feedback/PageError'
import { AppShell } from '../ui/shell/AppShell'

interface Context {
  client: QueryClient
}

export const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  errorComponent: LonePageError,
  notFoundComponent: LoneNotFound,
})

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { next?: string; account?: string; problem?: string } => ({
    // Not `//`, which would lead to another site.
    ...(typeof search.next === 'string' && /^\/(?!\/)/.test(search.next) && { next: search.next }),
    // Whose branding it shows.
    ...(typeof search.account === 'string' && { account: search.account }),
    ...(typeof search.problem === 'string' && { problem: search.problem }),
  }),
  loader: ({ context }) => context.client.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import('../pages/SignIn'), 'SignIn'),
})

export const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  loader: ({ context }) => context.client.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import('../pages/people/Join'), 'Join'),
})

export const profile = createRoute({
  getParentRoute: () => root,
  path: '/me',
  beforeLoad: async ({ context, location }) => {
    const { user } = await context.client.ensureQueryData(sessionQuery)
    if (!user) throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
  component: lazyRouteComponent(() => import('../pages/people/Profile'), 'Profile'),
})

export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: AppShell,
  errorComponent: LonePageError,
  beforeLoad: async ({ context, location }) => {
    const { account, operator, user } = await context.client.ensureQueryData(sessionQuery)
    if (!account && operator && location.pathname === '/') throw redirect({ to: '/operator' })
    // Signed in, but without an account to show: the profile says why.
    if (!account && user) throw redirect({ to: '/me' })
    if (!account) throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
})

export const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  // People who can already send see the overview. Others see the next steps.
  beforeLoad: async ({ context: { client } }) => {
    const { mode, account } = await client.ensureQueryData(sessionQuery)
    if (!account?.scopes.includes('read')) throw redirect({ to: '/billing' })
    const { campaigns } = await client.ensureQueryData(campaignsQuery)
    const isUnderWay =
      mode === 'production' ||
      !account.scopes.includes('manage') ||
      campaigns.some(({ status }) => status === 'ACTIVE')
    throw redirect({ to: isUnderWay ? '/overview' : '/start' })
  },
})

export const start = createRoute({
  getParentRoute: () => shell,
  path: '/start',
  component: lazyRouteComponent(() => import('../pages/Start'), 'Start'),
})

export const more = createRoute({
  getParentRoute: () => shell,
  path: '/more',
  component: lazyRouteComponent(() => import('../pages/More'), 'More'),
})

export const go = createRoute({
  getParentRoute: () => shell,
  path: '/go/$',
  component: lazyRouteComponent(() => import('../pages/Go'), 'Go'),
})
