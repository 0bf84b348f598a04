// Routes of conversations: the list, and one conversation next to it. The list's filter stays while reading.

import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { ConversationSearch } from '../api/talk-queries'
import { textsOf } from '../lib/search-texts'
import { shell } from './shell'

const conversations = createRoute({
  getParentRoute: () => shell,
  path: '/conversations',
  validateSearch: (search) =>
    textsOf<ConversationSearch>(search, ['view', 'campaign', 'number', 'name']),
  component: lazyRouteComponent(() => import('../pages/Conversations'), 'Conversations'),
})

const none = createRoute({
  getParentRoute: () => conversations,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/Conversations'), 'NoConversation'),
})

const one = createRoute({
  getParentRoute: () => conversations,
  path: '/$campaignId/$digits',
  component: lazyRouteComponent(() => import('../pages/Conversations'), 'OpenConversation'),
})

export const conversationRoutes = [conversations.addChildren([none, one])] as const
