// Routes of overview, messages, and the sandbox phones.

import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import {
  MESSAGE_TIMES,
  type MessageSearch,
  type MessageTime,
  RANGES,
  type Range,
} from '../api/queries'
import { request } from '../api/request'
import { textsOf } from '../lib/search-texts'
import { shell } from './shell'

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/overview',
  validateSearch: (search): { range?: Range } =>
    String(search.range) in RANGES ? { range: search.range as Range } : {},
  component: lazyRouteComponent(() => import('../pages/Overview'), 'Overview'),
})

const alerts = createRoute({
  getParentRoute: () => shell,
  path: '/alerts',
  component: lazyRouteComponent(() => import('../pages/Alerts'), 'Alerts'),
})

type MessagesSearch = MessageSearch & { open?: string; live?: 0; viewName?: string }

const PRICES = ['priceMin', 'priceMax'] as const

const TEXTS = [
  ...(['campaign', 'status', 'direction', 'number', 'text', 'metadata', 'batch'] as const),
  ...(['open', 'viewName'] as const),
]

const messages = createRoute({
  getParentRoute: () => shell,
  path: '/messages',
  validateSearch: (search): MessagesSearch => {
    const moments = (['since', 'until'] as const).filter((name) =>
      Number.isFinite(Date.parse(String(search[name]))),
    )
    const code = Number(search.errorCode)
    const prices = PRICES.filter((name) => Number.isFinite(Number.parseFloat(String(search[name]))))
    return {
      ...textsOf<MessagesSearch>(search, TEXTS),
      ...Object.fromEntries(prices.map((name) => [name, Number(search[name])])),
      ...Object.fromEntries(moments.map((name) => [name, String(search[name])])),
      ...(String(search.time) in MESSAGE_TIMES && { time: search.time as MessageTime }),
      ...(Number.isInteger(code) && code > 0 && { errorCode: code }),
      ...(String(search.live) === '0' && { live: 0 }),
    }
  },
  component: lazyRouteComponent(() => import('../pages/Messages'), 'Messages'),
})

/** The newest message, for scripts and for someone who just sent one. */
const latest = createRoute({
  getParentRoute: () => shell,
  path: '/messages/latest',
  beforeLoad: async () => {
    const { messages: found } = await request('GET /v1/message/search', { query: { limit: 1 } })
    if (!found[0]) throw redirect({ to: '/messages', replace: true })
    throw redirect({ to: '/messages/$id', params: { id: found[0].id }, replace: true })
  },
})

const message = createRoute({
  getParentRoute: () => shell,
  path: '/messages/$id',
  component: lazyRouteComponent(() => import('../pages/MessagePage'), 'MessagePage'),
})

interface HandsetSearch {
  /** Their digits, separated by commas. */
  phones?: string
  /** The message whose timeline is shown next to them. */
  watch?: string
}

const handset = createRoute({
  getParentRoute: () => shell,
  path: '/handset',
  validateSearch: ({ phones, watch }): HandsetSearch => {
    const digits = String([phones].flat()).match(/\b1\d{10}\b/g) ?? []
    return {
      ...(digits.length > 0 && { phones: digits.join(',') }),
      ...(typeof watch === 'string' && watch.startsWith('msg_') && { watch }),
    }
  },
  component: lazyRouteComponent(() => import('../pages/Handset'), 'Handset'),
})

export const trafficRoutes = [overview, alerts, messages, latest, message, handset] as const
