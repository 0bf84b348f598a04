// The operator's places: one list, from which the side bar, the bottom bar and the keys are made.

import {
  Building2,
  CircleDollarSign,
  ClipboardCheck,
  HeartPulse,
  Phone,
  RadioTower,
  ScrollText,
  Settings,
  ZapOff,
} from 'lucide-react'
import type { Place } from './nav'

export const OPERATOR_PLACES: readonly Place[] = [
  { path: '/operator/reviews', label: 'Reviews', icon: ClipboardCheck, key: 'r' },
  { path: '/operator/accounts', label: 'Accounts', icon: Building2, key: 'a' },
  { path: '/operator/prices', label: 'Prices', icon: CircleDollarSign, key: 'p' },
  { path: '/operator/carriers', label: 'Carriers', icon: RadioTower, key: 't' },
  { path: '/operator/numbers', label: 'Numbers', icon: Phone, key: 'n' },
  { path: '/operator/webhooks', label: 'Webhooks off', icon: ZapOff, key: 'w' },
  { path: '/operator/audit', label: 'Audit log', icon: ScrollText, key: 'l' },
  { path: '/operator/health', label: 'Health', icon: HeartPulse, key: 'h' },
  { path: '/operator/settings', label: 'Settings', icon: Settings, key: 's' },
]

/** Those with a place of their own in the bottom bar of a phone; the others are behind More. */
export const AT_HAND = ['Reviews', 'Accounts', 'Numbers', 'Health']
