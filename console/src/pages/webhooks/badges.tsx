// The status badges of webhooks and deliveries, relative to the service's clock.

import type { Delivery, Webhook } from '../../../generated/types.gen'
import { formatDuration, formatSince } from '../../lib/format-time'
import { useServiceNow } from '../../lib/service-time'
import { isOffByOwner } from '../../lib/webhook-needs'
import { Badge } from '../../ui/display/Badge'
import { deliveryState, webhookState } from '../../ui/display/webhook-states'

export function WebhookBadge({ webhook }: { webhook: Webhook }) {
  const now = useServiceNow()
  const { enabled, failingSince } = webhook
  const state = webhookState({
    enabled,
    isOffByOwner: isOffByOwner(webhook),
    failingSince: failingSince && formatSince(new Date(failingSince), now),
  })
  return <Badge state={state} />
}

type Shown = Pick<Delivery, 'state' | 'nextAttemptAt'> & {
  attempts: readonly Pick<Delivery['attempts'][number], 'responseCode' | 'durationMs'>[]
}

export function DeliveryBadge({ delivery }: { delivery: Shown }) {
  const now = useServiceNow()
  const { state, nextAttemptAt, attempts } = delivery
  const last = attempts.at(-1)
  const code = last?.responseCode ?? 'no response'
  const waitS = nextAttemptAt === null ? null : (Date.parse(nextAttemptAt) - now.getTime()) / 1000
  return (
    <Badge
      state={deliveryState({
        state,
        answer: last ? `${code}${state === 'delivered' ? ` · ${last.durationMs} ms` : ''}` : null,
        retry: waitS === null ? null : waitS > 0 ? `in ${formatDuration(waitS)}` : 'due',
      })}
    />
  )
}
