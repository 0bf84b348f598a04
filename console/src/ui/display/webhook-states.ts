// The statuses of webhooks and deliveries, which only their pages need.

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
  /** As shown: 2:02 PM, or with its date. */
  failingSince: string | null
}): State {
  if (enabled) {
    return failingSince === null
      ? state('ok', Zap, 'Enabled', 'Its events are sent')
      : state(
          'warn',
          Activity,
          `Failing since ${failingSince}`,
          'Every delivery has failed since then',
        )
  }
  return isOffByOwner
    ? state('wait', PowerOff, 'Disabled', 'Its events are held for 30 days')
    : state('bad', ZapOff, 'Disabled', 'Its events are held for 30 days')
}

export function deliveryState({
  state: now,
  answer,
  retry,
}: {
  state: string
  /** The last attempt: 200 · 41 ms, 503. Null before the first. */
  answer: string | null
  /** in 4 min, due. Null during an attempt. */
  retry: string | null
}): State {
  switch (now) {
    case 'delivered':
      return state('ok', Check, answer ?? 'Delivered', 'Accepted by the endpoint')
    case 'failed':
      return state('bad', OctagonX, `Failed ${answer ?? ''}`.trim(), 'All attempts failed')
    case 'held':
      return state('wait', CirclePause, 'Held', 'Stored for 30 days while the webhook is disabled')
    case 'pending':
      if (retry === null) return state('go', Send, 'Sending', 'An attempt is in progress')
      return answer === null
        ? state('wait', Hourglass, 'Waiting', 'Its first attempt is due')
        : state('warn', RotateCw, `Retry ${retry}`, `The last attempt failed: ${answer}`)
    default:
      return unknown(now)
  }
}
