// The states of webhooks and deliveries: the part of the table that only their pages need.

import {
  Activity,
  Check,
  CirclePause,
  Hourglass,
  OctagonX,
  PowerOff,
  RotateCw,
  Send,
  Zap,
  ZapOff,
} from 'lucide-react'
import { type State, state, unknown } from './states'

export function webhookState({
  enabled,
  isOffByOwner,
  failingSince,
}: {
  enabled: boolean
  isOffByOwner: boolean
  /** As it is read: 14:02, or with its day. */
  failingSince: string | null
}): State {
  if (enabled) {
    return failingSince === null
      ? state('ok', Zap, 'On', 'Its events are sent')
      : state('warn', Activity, `Failing since ${failingSince}`, 'Nothing has arrived since then')
  }
  return isOffByOwner
    ? state('wait', PowerOff, 'Off by you', 'Its events are held for 30 days')
    : state('bad', ZapOff, 'Off by rule', 'Its events are held for 30 days')
}

export function deliveryState({
  state: now,
  answer,
  retry,
}: {
  state: string
  /** Of the last attempt: 200 · 41 ms, 503; null before the first. */
  answer: string | null
  /** in 4 min, due; null during an attempt. */
  retry: string | null
}): State {
  switch (now) {
    case 'delivered':
      return state('ok', Check, answer ?? 'Delivered', 'The endpoint took it')
    case 'failed':
      return state('bad', OctagonX, `Failed ${answer ?? ''}`.trim(), 'Every attempt was used up')
    case 'held':
      return state('wait', CirclePause, 'Held', 'Kept for 30 days: the webhook is off')
    case 'pending':
      if (retry === null) return state('go', Send, 'Sending', 'An attempt is under way')
      return answer === null
        ? state('wait', Hourglass, 'Waiting', 'Its first attempt is due')
        : state('warn', RotateCw, `Retry ${retry}`, `The last attempt failed: ${answer}`)
    default:
      return unknown(now)
  }
}
