// The operator pages: they need an operator token and show nothing of a customer's pages.

import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { AccountSearch, AuditSearch, UserSearch } from '../api/operator-queries'
import { sessionQuery } from '../api/session'
import { textsOf } from '../lib/search-texts'
import { LonePageError } from '../ui/feedback/PageError'
import { operatorPlaces } from '../ui/shell/operator-nav'
import { root } from './shell'

const load = () => import('../pages/operator/operator-pages')

export const operatorPages = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: lazyRouteComponent(load, 'OperatorShell'),
  errorComponent: LonePageError,
  beforeLoad: async ({ context, location }) => {
    const { operator, user } = await context.client.ensureQueryData(sessionQuery)
    if (!operator && user) throw redirect({ to: '/me' })
    if (!operator) throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
})

const home = createRoute({
  getParentRoute: () => operatorPages,
  path: '/',
  beforeLoad: async ({ context }) => {
    const { operator } = await context.client.ensureQueryData(sessionQuery)
    throw redirect({ to: operatorPlaces(operator)[0]?.path ?? '/me' })
  },
})

const reviews = createRoute({
  getParentRoute: () => operatorPages,
  path: '/reviews',
  component: lazyRouteComponent(load, 'Reviews'),
})

const reviewedBrand = createRoute({
  getParentRoute: () => reviews,
  path: '/brand/$id',
  component: lazyRouteComponent(load, 'BrandRecord'),
})

const reviewedCampaign = createRoute({
  getParentRoute: () => reviews,
  path: '/campaign/$id',
  component: lazyRouteComponent(load, 'CampaignRecord'),
})

const accounts = createRoute({
  getParentRoute: () => operatorPages,
  path: '/accounts',
  validateSearch: (search) => textsOf<AccountSearch>(search, ['search', 'status']),
  component: lazyRouteComponent(load, 'Accounts'),
})

const account = createRoute({
  getParentRoute: () => operatorPages,
  path: '/accounts/$id',
  component: lazyRouteComponent(load, 'AccountPage'),
})

const users = createRoute({
  getParentRoute: () => operatorPages,
  path: '/users',
  validateSearch: (search) => textsOf<UserSearch>(search, ['search']),
  component: lazyRouteComponent(load, 'Users'),
})

const lookup = createRoute({
  getParentRoute: () => operatorPages,
  path: '/messages',
  validateSearch: (search) => textsOf<{ what?: string }>(search, ['what']),
  component: lazyRouteComponent(load, 'Lookup'),
})

const lookedUp = createRoute({
  getParentRoute: () => operatorPages,
  path: '/messages/$id',
  component: lazyRouteComponent(load, 'LookupMessage'),
})

const prices = createRoute({
  getParentRoute: () => operatorPages,
  path: '/prices',
  component: lazyRouteComponent(load, 'Prices'),
})

const carriers = createRoute({
  getParentRoute: () => operatorPages,
  path: '/carriers',
  component: lazyRouteComponent(load, 'Carriers'),
})

const addCarrier = createRoute({
  getParentRoute: () => operatorPages,
  path: '/carriers/add',
  component: lazyRouteComponent(load, 'AddCarrier'),
})

const health = createRoute({
  getParentRoute: () => operatorPages,
  path: '/health',
  component: lazyRouteComponent(load, 'Health'),
})

const numbers = createRoute({
  getParentRoute: () => operatorPages,
  path: '/numbers',
  component: lazyRouteComponent(load, 'Inventory'),
})

const webhooks = createRoute({
  getParentRoute: () => operatorPages,
  path: '/webhooks',
  validateSearch: (search) => textsOf<{ account?: string }>(search, ['account']),
  component: lazyRouteComponent(load, 'WebhooksOff'),
})

const audit = createRoute({
  getParentRoute: () => operatorPages,
  path: '/audit',
  validateSearch: (search) =>
    textsOf<AuditSearch>(search, ['act', 'actor', 'account', 'subject', 'since', 'until']),
  component: lazyRouteComponent(load, 'Audit'),
})

const settings = createRoute({
  getParentRoute: () => operatorPages,
  path: '/settings',
  component: lazyRouteComponent(load, 'OperatorSettings'),
})

const more = createRoute({
  getParentRoute: () => operatorPages,
  path: '/more',
  component: lazyRouteComponent(load, 'More'),
})

export const operatorRoutes = [
  home,
  reviews.addChildren([reviewedBrand, reviewedCampaign]),
  accounts,
  account,
  users,
  lookup,
  lookedUp,
  prices,
  carriers,
  addCarrier,
  health,
  numbers,
  webhooks,
  audit,
  settings,
  more,
] as const
