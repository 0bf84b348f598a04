// Routes for sending one message, or many from a file.

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textsOf } from '../lib/search-texts'
import { shell } from './shell'

interface SendSearch {
  campaign?: string
  to?: string
  from?: string
  body?: string
  at?: string
}

const send = createRoute({
  getParentRoute: () => shell,
  path: '/send',
  validateSearch: (search) => textsOf<SendSearch>(search, ['campaign', 'to', 'from', 'body', 'at']),
  component: lazyRouteComponent(() => import('../pages/Send'), 'Send'),
})

const sendCsv = createRoute({
  getParentRoute: () => shell,
  path: '/send/csv',
  component: lazyRouteComponent(() => import('../pages/SendCsv'), 'SendCsv'),
})

export const sendRoutes = [send, sendCsv] as const
