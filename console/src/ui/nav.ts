// The places of the console: one list, from which the side bar, the bottom bar and the keys are made. A
// place appears here with its page.

import { type LucideIcon, Rocket } from 'lucide-react'

export interface Place {
  path: string
  label: string
  icon: LucideIcon
  /** Pressed after g. */
  key: string
  isSandboxOnly?: boolean
  /** Where it stands in the bar at the foot of a phone's screen; without, it is behind More. */
  bottom?: number
}

export interface PlaceGroup {
  title: string | null
  places: readonly Place[]
}

export const GROUPS: readonly PlaceGroup[] = [
  {
    title: null,
    places: [{ path: '/start', label: 'Start', icon: Rocket, key: 't', bottom: 1 }],
  },
]
