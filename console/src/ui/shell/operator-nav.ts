// The operator pages: one list for the sidebar, the bottom bar, and keyboard shortcuts.

import {
  Building2,
  CircleDollarSign,
  ClipboardCheck,
  HeartPulse,
  Phone,
  RadioTower,
  ScrollText,
  Search,
  Settings,
  ZapOff,
} from 'lucide-react'
import type { NavItem } from './nav'

export const OPERATOR_PLACES: readonly NavItem[] = [
  { path: '/operator/reviews', label: 'Reviews', icon: ClipboardCheck, key: 'r' },
  { path: '/operator/accounts', label: 'Accounts', icon: Building2, key: 'a' },
  { path: '/operator/messages', label: 'Look up messages', icon: Search, key: 'm' },
  { path: '/operator/prices', label: 'Prices', icon: CircleDollarSign, key: 'p' },
  { path: '/operator/carriers', label: 'Carriers', icon: RadioTower, key: 't' },
  { path: '/operator/numbers', label: 'Numbers', icon: Phone, key: 'n' },
  { path: '/operator/webhooks', label: 'Disabled webhooks', icon: ZapOff, key: 'w' },
  { path: '/operator/audit', label: 'Audit log', icon: ScrollText, key: 'l' },
  { path: '/operator/health', label: 'Health', icon: HeartPulse, key: 'h' },
  { path: '/operator/settings', label: 'Settings', icon: Settings, key: 's' },
]

/** Pages in a phone's bottom bar. The others are behind More. */
export const AT_HAND = ['Reviews', 'Accounts', 'Numbers', 'Health']
