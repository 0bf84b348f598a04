// Every API status as a tone, an icon, and a word: the one table for all badges. Color never stands alone, because two
// of the tones look the same to some readers.

import {
  ArrowDownLeft,
  BadgeCheck,
  Ban,
  CalendarClock,
  Check,
  CircleCheck,
  CircleDashed,
  CirclePause,
  Clock,
  ClockAlert,
  Eye,
  Hourglass,
  KeyRound,
  type LucideIcon,
  OctagonX,
  Pencil,
  RadioTower,
  Send,
  ShieldCheck,
  SquareCheckBig,
  TimerOff,
  TriangleAlert,
  Undo2,
} from 'lucide-react'
import { formatDuration } from '../../lib/format-time'

export type Tone = 'ok' | 'go' | 'wait' | 'plan' | 'warn' | 'bad'

export interface State {
  tone: Tone
  icon: LucideIcon
  word: string
  /** What it means, shown on demand. */
  meaning: string
}

export const state = (tone: Tone, icon: LucideIcon, word: string, meaning: string): State => ({
  tone,
  icon,
  word,
  meaning,
})

const MESSAGE: Record<string, State> = {
  CREATED: state('wait', CircleDashed, 'Created', 'Accepted, not yet queued'),
  SCHEDULED: state('plan', CalendarClock, 'Scheduled', 'Will be sent at the scheduled time'),
  QUEUED: state('wait', Hourglass, 'Queued', 'Waiting to be sent'),
  SENT: state('go', Send, 'Sent', 'Accepted by the carrier, no receipt yet'),
  DELIVERED: state('ok', Check, 'Delivered', 'Confirmed by the carrier'),
  READ: state('ok', Eye, 'Read', 'Opened on the phone'),
  FAILED: state('bad', OctagonX, 'Failed', 'Not delivered'),
  EXPIRED: state('bad', TimerOff, 'Expired', 'Not sent or confirmed in time'),
}
const RECEIVED = state('wait', ArrowDownLeft, 'Received', 'A text to one of your numbers')

const BRAND: Record<string, State> = {
  DRAFT: state('wait', Pencil, 'Draft', 'Not submitted yet'),
  PENDING: state('go', Clock, 'Pending', 'In review'),
  VERIFIED: state('ok', BadgeCheck, 'Verified', 'Verified by the registry'),
  UNVERIFIED: state('warn', TriangleAlert, 'Unverified', 'Needs changes. See the notes.'),
  VETTED: state('ok', ShieldCheck, 'Vetted', 'Verified, with a trust score'),
}

const CAMPAIGN: Record<string, State> = {
  DRAFT: state('wait', Pencil, 'Draft', 'Not submitted yet'),
  PENDING: state('go', Clock, 'Pending', 'In review'),
  ACTIVE: state('ok', RadioTower, 'Active', 'Can send'),
  SUSPENDED: state(
    'bad',
    CirclePause,
    'Suspended',
    'Renewal unpaid, or suspended by the operator or The Campaign Registry',
  ),
  ENDED: state('wait', SquareCheckBig, 'Ended', 'Ended permanently'),
}
const RETURNED = state('warn', Undo2, 'Draft · returned', 'Fix and resubmit at no extra cost')

const OPTED_OUT = state(
  'bad',
  Ban,
  'Opted out',
  'The recipient must text START, or you must record consent',
)
const WRITABLE = state('ok', CircleCheck, 'Yes', 'No opt-out from this campaign')

const NUMBER: Record<string, State> = {
  ACTIVE: state('ok', Check, 'Active', 'Sends and receives messages'),
  PENDING: state('go', Clock, 'Pending', 'Messages from it wait for the provider'),
  FAILED: state('bad', OctagonX, 'Failed', 'The provider could not assign it. Refunded.'),
}

// A status that is newer than this page is shown unchanged.
export const unknown = (word: string): State => state('wait', CircleDashed, word, '')

export function messageState(message: {
  direction: string
  status: string
  errorCode: number | null
}): State {
  if (message.direction === 'INBOUND') return RECEIVED
  const found = MESSAGE[message.status] ?? unknown(message.status)
  if (message.status !== 'FAILED' || message.errorCode === null) return found
  return { ...found, word: `Failed ${message.errorCode}` }
}

export function messageStatusState(status: string): State {
  return MESSAGE[status] ?? unknown(status)
}

const SOON_MS = 7 * 24 * 60 * 60 * 1000

export function tokenState({ expiresAt }: { expiresAt: string | null }, now: Date): State {
  const leftMs =
    expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now.getTime()
  if (leftMs <= 0) return state('wait', Ban, 'Expired', 'Refused')
  if (leftMs > SOON_MS) return state('ok', KeyRound, 'Active', 'Grants access to its scopes')
  const left = formatDuration(leftMs / 1000)
  return state('warn', ClockAlert, `Expires in ${left}`, 'Replace it before then')
}

export function numberState({ status }: { status: string }): State {
  return NUMBER[status] ?? unknown(status)
}

export function brandState({ status, trustScore }: { status: string; trustScore?: number }): State {
  const found = BRAND[status] ?? unknown(status)
  return status === 'VETTED' && trustScore !== undefined
    ? { ...found, word: `Vetted · ${trustScore}` }
    : found
}

export function campaignState({
  status,
  reviewNotes,
}: {
  status: string
  reviewNotes: readonly unknown[]
}): State {
  if (status === 'DRAFT' && reviewNotes.length > 0) return RETURNED
  return CAMPAIGN[status] ?? unknown(status)
}

/** Whether someone can receive messages. */
export function writableState(isOptedOut: boolean): State {
  return isOptedOut ? OPTED_OUT : WRITABLE
}
