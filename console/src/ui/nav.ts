// The places of the console: one list, from which the side bar, the bottom bar and the keys are made. A
// place appears here with its page.

import {
  ChartNoAxesCombined,
  type LucideIcon,
  MessageSquareText,
  MessagesSquare,
  Rocket,
  Smartphone,
} from 'lucide-react'

export interface Place {
  path: string
  label: string
  icon: LucideIcon
  /** Pressed after g. */
  key: string
  isSandboxOnly?: boolean
}

export interface PlaceGroup {
  title: string | null
  places: readonly Place[]
}

export const GROUPS: readonly PlaceGroup[] = [
  {
    title: null,
    places: [
      { path: '/start', label: 'Start', icon: Rocket, key: 's', isSandboxOnly: true },
      { path: '/overview', label: 'Overview', icon: ChartNoAxesCombined, key: 'o' },
      { path: '/messages', label: 'Messages', icon: MessageSquareText, key: 'm' },
      { path: '/conversations', label: 'Conversations', icon: MessagesSquare, key: 'v' },
      { path: '/handset', label: 'Handset', icon: Smartphone, key: 'h', isSandboxOnly: true },
    ],
  },
]
