// Routes of numbers, billing, and settings.

import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { LedgerEntry } from '../../generated/types.gen'
import { shell } from './shell'

const CAMPAIGN = /^cmp_\w+$/

const numbers = createRoute({
  getParentRoute: () => shell,
  path: '/numbers',
  validateSearch: (search): { campaign?: string } =>
    CAMPAIGN.test(String(search.campaign)) ? { campaign: String(search.campaign) } : {},
  component: lazyRouteComponent(() => import('../pages/Numbers'), 'Numbers'),
})

export interface BuySearch {
  campaign?: string
  /** A number in the URL, because the router would quote a string. */
  areaCode?: number
  /** Left out: nearby area codes are included if the area code has none left. */
  nearby?: false
}

const buyNumber = createRoute({
  getParentRoute: () => shell,
  path: '/numbers/buy',
  validateSearch: (search): BuySearch => ({
    ...(CAMPAIGN.test(String(search.campaign)) && { campaign: String(search.campaign) }),
    ...(/^\d{3}$/.test(String(search.areaCode)) && { areaCode: Number(search.areaCode) }),
    ...(search.nearby === false && { nearby: false as const }),
  }),
  component: lazyRouteComponent(() => import('../pages/BuyNumber'), 'BuyNumber'),
})

const number = createRoute({
  getParentRoute: () => shell,
  path: '/numbers/$digits',
  component: lazyRouteComponent(() => import('../pages/NumberPage'), 'NumberPage'),
})

export interface BillingSearch {
  reason?: LedgerEntry['reason']
  campaign?: string
  /** 2026-11 */
  month?: string
}

const billing = createRoute({
  getParentRoute: () => shell,
  path: '/billing',
  validateSearch: (search): BillingSearch => ({
    ...(/^[a-z_]+$/.test(String(search.reason ?? '')) && {
      reason: search.reason as LedgerEntry['reason'],
    }),
    ...(CAMPAIGN.test(String(search.campaign)) && { campaign: String(search.campaign) }),
    ...(/^[2-9]\d{3}-(0[1-9]|1[0-2])$/.test(String(search.month)) && {
      month: String(search.month),
    }),
  }),
  component: lazyRouteComponent(() => import('../pages/Billing'), 'Billing'),
})

const statement = createRoute({
  getParentRoute: () => shell,
  path: '/billing/statement/$month',
  component: lazyRouteComponent(() => import('../pages/Statement'), 'Statement'),
})

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/account' })
  },
})

const settingsAccount = createRoute({
  getParentRoute: () => shell,
  path: '/settings/account',
  component: lazyRouteComponent(
    () => import('../pages/settings/AccountSettings'),
    'AccountSettings',
  ),
})

const settingsTokens = createRoute({
  getParentRoute: () => shell,
  path: '/settings/tokens',
  component: lazyRouteComponent(() => import('../pages/settings/TokenSettings'), 'TokenSettings'),
})

const settingsPeople = createRoute({
  getParentRoute: () => shell,
  path: '/settings/people',
  component: lazyRouteComponent(() => import('../pages/settings/PeopleSettings'), 'PeopleSettings'),
})

const settingsActivity = createRoute({
  getParentRoute: () => shell,
  path: '/settings/activity',
  component: lazyRouteComponent(
    () => import('../pages/settings/ActivitySettings'),
    'ActivitySettings',
  ),
})

const settingsAppearance = createRoute({
  getParentRoute: () => shell,
  path: '/settings/appearance',
  component: lazyRouteComponent(() => import('../pages/settings/Appearance'), 'Appearance'),
})

const settingsKeys = createRoute({
  getParentRoute: () => shell,
  path: '/settings/keys',
  component: lazyRouteComponent(() => import('../pages/settings/KeySettings'), 'KeySettings'),
})

export const accountRoutes = [
  numbers,
  buyNumber,
  number,
  billing,
  statement,
  settings,
  settingsAccount,
  settingsPeople,
  settingsTokens,
  settingsActivity,
  settingsAppearance,
  settingsKeys,
] as const
