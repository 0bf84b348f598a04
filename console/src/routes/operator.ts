// The operator's wing: addresses that need the operator's token and show nothing of a customer's pages.

import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { AccountFilter, AuditFilter } from '../api/operator-queries'
import { sessionQuery } from '../api/session'
import { root } from './house'

export const wing = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  component: lazyRouteComponent(() => import('../ui/OperatorShell'), 'OperatorShell'),
  beforeLoad: async ({ context, location }) => {
    const { operator } = await context.client.ensureQueryData(sessionQuery)
    if (!operator) throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
})

const home = createRoute({
  getParentRoute: () => wing,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/operator/reviews' })
  },
})

const reviews = createRoute({
  getParentRoute: () => wing,
  path: '/reviews',
  component: lazyRouteComponent(() => import('../pages/operator/Reviews'), 'Reviews'),
})

const reviewedBrand = createRoute({
  getParentRoute: () => reviews,
  path: '/brand/$id',
  component: lazyRouteComponent(
    () => import('../pages/operator/reviews/BrandRecord'),
    'BrandRecord',
  ),
})

const reviewedCampaign = createRoute({
  getParentRoute: () => reviews,
  path: '/campaign/$id',
  component: lazyRouteComponent(
    () => import('../pages/operator/reviews/CampaignRecord'),
    'CampaignRecord',
  ),
})

const accounts = createRoute({
  getParentRoute: () => wing,
  path: '/accounts',
  validateSearch: (search): AccountFilter => textsOf(search, ['search', 'status']),
  component: lazyRouteComponent(() => import('../pages/operator/Accounts'), 'Accounts'),
})

const account = createRoute({
  getParentRoute: () => wing,
  path: '/accounts/$id',
  component: lazyRouteComponent(() => import('../pages/operator/AccountPage'), 'AccountPage'),
})

const prices = createRoute({
  getParentRoute: () => wing,
  path: '/prices',
  component: lazyRouteComponent(() => import('../pages/operator/Prices'), 'Prices'),
})

const carriers = createRoute({
  getParentRoute: () => wing,
  path: '/carriers',
  component: lazyRouteComponent(() => import('../pages/operator/Carriers'), 'Carriers'),
})

const health = createRoute({
  getParentRoute: () => wing,
  path: '/health',
  component: lazyRouteComponent(() => import('../pages/operator/Health'), 'Health'),
})

const numbers = createRoute({
  getParentRoute: () => wing,
  path: '/numbers',
  component: lazyRouteComponent(() => import('../pages/operator/Inventory'), 'Inventory'),
})

const webhooks = createRoute({
  getParentRoute: () => wing,
  path: '/webhooks',
  validateSearch: (search): { account?: string } => textsOf(search, ['account']),
  component: lazyRouteComponent(() => import('../pages/operator/WebhooksOff'), 'WebhooksOff'),
})

const audit = createRoute({
  getParentRoute: () => wing,
  path: '/audit',
  validateSearch: (search): AuditFilter =>
    textsOf(search, ['act', 'actor', 'account', 'subject', 'since', 'until']),
  component: lazyRouteComponent(() => import('../pages/operator/Audit'), 'Audit'),
})

const settings = createRoute({
  getParentRoute: () => wing,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('../pages/operator/OperatorSettings'),
    'OperatorSettings',
  ),
})

const more = createRoute({
  getParentRoute: () => wing,
  path: '/more',
  component: lazyRouteComponent(() => import('../pages/operator/More'), 'More'),
})

export const operatorRoutes = [
  home,
  reviews.addChildren([reviewedBrand, reviewedCampaign]),
  accounts,
  account,
  prices,
  carriers,
  health,
  numbers,
  webhooks,
  audit,
  settings,
  more,
] as const

/** What of the address is a filter; whatever else stands there is not. */
function textsOf<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): { [N in Name]?: string } {
  const given = names.filter((name) => search[name] !== undefined && search[name] !== '')
  return Object.fromEntries(given.map((name) => [name, String(search[name])])) as {
    [N in Name]?: string
  }
}
