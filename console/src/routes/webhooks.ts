// Routes of webhooks: the list, a new one, one with its deliveries, and one delivery.

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { WebhookDeliveryState } from '../api/webhook-queries'
import { shell } from './shell'

interface ByCampaign {
  campaign?: string
}

const byCampaign = ({ campaign }: Record<string, unknown>): ByCampaign =>
  campaign ? { campaign: String(campaign) } : {}

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  validateSearch: byCampaign,
  component: lazyRouteComponent(() => import('../pages/Webhooks'), 'Webhooks'),
})

const newWebhook = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks/new',
  validateSearch: byCampaign,
  component: lazyRouteComponent(() => import('../pages/NewWebhook'), 'NewWebhook'),
})

export interface DeliveryFilter {
  state?: WebhookDeliveryState | undefined
  event?: string | undefined
}

const STATES = /^(pending|held|delivered|failed)$/

const webhook = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks/$id',
  validateSearch: ({ state, event }: Record<string, unknown>): DeliveryFilter => ({
    ...(STATES.test(String(state)) && { state: state as WebhookDeliveryState }),
    ...(event ? { event: String(event) } : {}),
  }),
  component: lazyRouteComponent(() => import('../pages/WebhookPage'), 'WebhookPage'),
})

/** Within its webhook's page: next to the list if there is room, otherwise in its place. */
const delivery = createRoute({
  getParentRoute: () => webhook,
  path: '/deliveries/$deliveryId',
})

export const webhookRoutes = [webhooks, newWebhook, webhook.addChildren([delivery])] as const
