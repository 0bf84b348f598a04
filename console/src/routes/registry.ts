// Routes of brands and campaigns: lists, forms, and their pages.

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textsOf } from '../lib/search-texts'
import { shell } from './shell'

type Given = Record<string, unknown>

interface ListSearch {
  q?: string
  status?: string
}

const readList = (search: Given) => textsOf<ListSearch>(search, ['q', 'status'])

const brands = createRoute({
  getParentRoute: () => shell,
  path: '/brands',
  validateSearch: readList,
  component: lazyRouteComponent(() => import('../pages/Brands'), 'Brands'),
})

const brandNew = createRoute({
  getParentRoute: () => shell,
  path: '/brands/new',
  validateSearch: (search: Given) => textsOf<{ example?: string }>(search, ['example']),
  component: lazyRouteComponent(() => import('../pages/BrandEdit'), 'BrandNew'),
})

const brand = createRoute({
  getParentRoute: () => shell,
  path: '/brands/$id',
  component: lazyRouteComponent(() => import('../pages/BrandPage'), 'BrandPage'),
})

const brandEdit = createRoute({
  getParentRoute: () => shell,
  path: '/brands/$id/edit',
  component: lazyRouteComponent(() => import('../pages/BrandEdit'), 'BrandEdit'),
})

const campaigns = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns',
  validateSearch: readList,
  component: lazyRouteComponent(() => import('../pages/Campaigns'), 'Campaigns'),
})

const campaignNew = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns/new',
  validateSearch: (search: Given) => textsOf<{ brand?: string }>(search, ['brand']),
  component: lazyRouteComponent(() => import('../pages/CampaignEdit'), 'CampaignNew'),
})

const campaignEdit = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns/$id/edit',
  component: lazyRouteComponent(() => import('../pages/CampaignEdit'), 'CampaignEdit'),
})

/** The header and tabs around each of the following. */
const campaign = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns/$id',
  component: lazyRouteComponent(() => import('../pages/CampaignPage'), 'CampaignPage'),
})

const overview = createRoute({
  getParentRoute: () => campaign,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/campaigns/Overview'), 'CampaignOverview'),
})

const numbers = createRoute({
  getParentRoute: () => campaign,
  path: '/numbers',
  component: lazyRouteComponent(() => import('../pages/campaigns/Numbers'), 'CampaignNumbers'),
})

const keywords = createRoute({
  getParentRoute: () => campaign,
  path: '/keywords',
  component: lazyRouteComponent(() => import('../pages/campaigns/Keywords'), 'CampaignKeywords'),
})

const optouts = createRoute({
  getParentRoute: () => campaign,
  path: '/optouts',
  validateSearch: (search: Given): { number?: string; digits?: string } => {
    const { number, digits } = textsOf<{ number?: string; digits?: string }>(search, [
      'number',
      'digits',
    ])
    return {
      ...(number && /^\+?1\d{10}$/.test(number) && { number: `+${number.replace('+', '')}` }),
      ...(digits && { digits: digits.replace(/\D/g, '') }),
    }
  },
  component: lazyRouteComponent(() => import('../pages/campaigns/Optouts'), 'CampaignOptouts'),
})

const webhooks = createRoute({
  getParentRoute: () => campaign,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../pages/campaigns/Webhooks'), 'CampaignWebhooks'),
})

export const registryRoutes = [
  brands,
  brandNew,
  brand,
  brandEdit,
  campaigns,
  campaignNew,
  campaignEdit,
  campaign.addChildren([overview, numbers, keywords, optouts, webhooks]),
] as const
