// Routes for sending one message, or many from a file.

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { shell } from './shell'

interface SendSearch {
  campaign?: string
  to?: string
  from?: string
  body?: string
  at?: string
}
const NAMES = ['campaign', 'to', 'from', 'body', 'at'] as const

const send = createRoute({
  getParentRoute: () => shell,
  path: '/send',
  validateSearch: (search): SendSearch => {
    const given = NAMES.filter((name) => search[name] !== undefined && search[name] !== '')
    return Object.fromEntries(given.map((name) => [name, String(search[name])]))
  },
  component: lazyRouteComponent(() => import('../pages/Send'), 'Send'),
})

const sendCsv = createRoute({
  getParentRoute: () => shell,
  path: '/send/csv',
  component: lazyRouteComponent(() => import('../pages/SendCsv'), 'SendCsv'),
})

export const sendRoutes = [send, sendCsv] as const
