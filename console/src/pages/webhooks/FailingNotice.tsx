// A failing webhook: the endpoint's last response, what the service does now, and when it is disabled.

import type { Webhook } from '../../../generated/types.gen'
import { formatSince } from '../../lib/format-time'
import { useServiceNow } from '../../lib/service-time'
import { Notice } from '../../ui/feedback/Notice'
import { LastAnswer } from './LastAnswer'

/** After this many days of failures, it is disabled. */
const FAILING_MS_MAX = 5 * 86_400_000

export function FailingNotice({ webhook: { id, failingSince } }: { webhook: Webhook }) {
  const now = useServiceNow()
  if (failingSince === null) return null
  const since = new Date(failingSince)
  const off = new Date(since.getTime() + FAILING_MS_MAX)
  return (
    <Notice tone="warn" title={`Every delivery has failed since ${formatSince(since, now)}`}>
      <LastAnswer webhookId={id} />
      <p>
        While the endpoint is failing, the service sends one event at a time. Others wait without
        using up attempts. If no delivery succeeds by {formatSince(off, now)}, the webhook is
        disabled.
      </p>
    </Notice>
  )
}
