// Overview, messages, conversations, sending, and the phones of the sandbox.

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { type MessageFilter, RANGES, type Range } from '../api/queries'
import { house } from './house'

const overview = createRoute({
  getParentRoute: () => house,
  path: '/overview',
  validateSearch: (search): { range?: Range } =>
    String(search.range) in RANGES ? { range: search.range as Range } : {},
  component: lazyRouteComponent(() => import('../pages/Overview'), 'Overview'),
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
  component: lazyRouteComponent(() => import('../pages/Messages'), 'Messages'),
})

const message = createRoute({
  getParentRoute: () => house,
  path: '/messages/$id',
  component: lazyRouteComponent(() => import('../pages/MessagePage'), 'MessagePage'),
})

const handset = createRoute({
  getParentRoute: () => house,
  path: '/handset',
  validateSearch: (search): { phones?: string[] } => {
    const phones = [search.phones].flat().filter((one) => /^\+1\d{10}$/.test(String(one)))
    return phones.length > 0 ? { phones: phones.map(String) } : {}
  },
  component: lazyRouteComponent(() => import('../pages/Handset'), 'Handset'),
})

export const trafficRoutes = [overview, messages, message, handset] as const
