// The pages of the console: one list for the sidebar, the bottom bar, ⌘K, and keyboard shortcuts.

import {
  Bell,
  Building2,
  ChartNoAxesCombined,
  CreditCard,
  type LucideIcon,
  Megaphone,
  MessageSquareText,
  MessagesSquare,
  Phone,
  Rocket,
  Send,
  Settings,
  Smartphone,
  Webhook,
} from 'lucide-react'
import type { AccountScope } from '../../api/session'

export interface NavItem {
  path: string
  label: string
  icon: LucideIcon
  /** Pressed after g. Null: none. */
  key: string | null
  isSandboxOnly?: boolean
  /** Shown only to people and tokens with this scope. */
  scope?: AccountScope
}

export interface PlaceGroup {
  title: string | null
  places: readonly NavItem[]
}

export const START = '/start'

export const GROUPS: readonly PlaceGroup[] = [
  {
    title: null,
    places: [
      {
        path: START,
        label: 'Start',
        icon: Rocket,
        key: null,
        isSandboxOnly: true,
        scope: 'manage',
      },
      { path: '/send', label: 'Send message', icon: Send, key: null, scope: 'send' },
      { path: '/overview', label: 'Overview', icon: ChartNoAxesCombined, key: 'o', scope: 'read' },
      { path: '/alerts', label: 'Alerts', icon: Bell, key: 'a', scope: 'read' },
      { path: '/messages', label: 'Messages', icon: MessageSquareText, key: 'm', scope: 'read' },
      {
        path: '/conversations',
        label: 'Conversations',
        icon: MessagesSquare,
        key: 'v',
        scope: 'read',
      },
      {
        path: '/handset',
        label: 'Handset',
        icon: Smartphone,
        key: 'h',
        isSandboxOnly: true,
        scope: 'read',
      },
    ],
  },
  {
    title: 'Setup',
    places: [
      { path: '/brands', label: 'Brands', icon: Building2, key: 'b', scope: 'read' },
      { path: '/campaigns', label: 'Campaigns', icon: Megaphone, key: 'c', scope: 'read' },
      { path: '/numbers', label: 'Numbers', icon: Phone, key: 'n', scope: 'read' },
      { path: '/webhooks', label: 'Webhooks', icon: Webhook, key: 'w', scope: 'read' },
    ],
  },
  {
    title: 'Account',
    places: [
      { path: '/billing', label: 'Billing', icon: CreditCard, key: 'l', scope: 'billing' },
      { path: '/settings', label: 'Settings', icon: Settings, key: 's' },
    ],
  },
]

/** The pages in a phone's bottom bar, if they exist, next to More. */
const BAR = ['/overview', '/messages', '/send', '/handset', '/conversations']
const BAR_PLACES = 4

export function barPlaces(places: readonly NavItem[]): readonly NavItem[] {
  const there = BAR.flatMap((path) => places.filter((place) => place.path === path))
  return there.slice(0, BAR_PLACES)
}
