// The operator pages: one list for the sidebar, the bottom bar, and keyboard shortcuts, limited to what the role may read.

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
  Users,
  ZapOff,
} from 'lucide-react'
import { type Session, useSession } from '../../api/session'
import type { NavItem } from './nav'

interface OperatorPlace extends NavItem {
  /** What the page reads. It is shown only to roles that may. */
  operation: string
}

const OPERATOR_PLACES: readonly OperatorPlace[] = [
  {
    path: '/operator/reviews',
    label: 'Reviews',
    icon: ClipboardCheck,
    key: 'r',
    operation: 'operatorReviewQueue',
  },
  {
    path: '/operator/accounts',
    label: 'Accounts',
    icon: Building2,
    key: 'a',
    operation: 'operatorListAccounts',
  },
  {
    path: '/operator/users',
    label: 'Users',
    icon: Users,
    key: 'u',
    operation: 'operatorListUsers',
  },
  {
    path: '/operator/messages',
    label: 'Look up messages',
    icon: Search,
    key: 'm',
    operation: 'operatorSearchMessages',
  },
  {
    path: '/operator/prices',
    label: 'Prices',
    icon: CircleDollarSign,
    key: 'p',
    operation: 'operatorListPrices',
  },
  {
    path: '/operator/carriers',
    label: 'Carriers',
    icon: RadioTower,
    key: 't',
    operation: 'operatorListCarriers',
  },
  {
    path: '/operator/numbers',
    label: 'Numbers',
    icon: Phone,
    key: 'n',
    operation: 'operatorCountNumbers',
  },
  {
    path: '/operator/webhooks',
    label: 'Disabled webhooks',
    icon: ZapOff,
    key: 'w',
    operation: 'operatorListWebhooksOff',
  },
  {
    path: '/operator/audit',
    label: 'Audit log',
    icon: ScrollText,
    key: 'l',
    operation: 'operatorListAudit',
  },
  {
    path: '/operator/health',
    label: 'Health',
    icon: HeartPulse,
    key: 'h',
    operation: 'operatorGetHealth',
  },
  {
    path: '/operator/settings',
    label: 'Settings',
    icon: Settings,
    key: 's',
    operation: 'operatorListOperatorTokens',
  },
]

/** Pages in a phone's bottom bar. The others are behind More. */
export const AT_HAND = ['Reviews', 'Accounts', 'Numbers', 'Health']

export function operatorPlaces(operator: Session['operator']): readonly NavItem[] {
  return OPERATOR_PLACES.filter(({ operation }) => mayOperate(operator, operation))
}

export function useOperatorPlaces(): readonly NavItem[] {
  return operatorPlaces(useSession().operator)
}

export function mayOperate(operator: Session['operator'], operation: string): boolean {
  return operator !== null && (operator.operations?.includes(operation) ?? true)
}
