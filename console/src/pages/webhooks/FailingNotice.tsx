// A webhook that fails: what its endpoint last said, what the service does meanwhile, and what will come.

import type { Webhook } from '../../../generated/types.gen'
import { formatSince } from '../../lib/format-time'
import { useServiceNow } from '../../lib/service-time'
import { Notice } from '../../ui/Notice'
import { LastAnswer } from './LastAnswer'

/** After so many of nothing but failures it is disabled. */
const FAILING_MS_MAX = 5 * 86_400_000

export function FailingNotice({ webhook: { id, failingSince } }: { webhook: Webhook }) {
  const now = useServiceNow()
  if (failingSince === null) return null
  const since = new Date(failingSince)
  const off = new Date(since.getTime() + FAILING_MS_MAX)
  return (
    <Notice tone="warn" title={`Nothing has arrived since ${formatSince(since, now)}.`}>
      <LastAnswer webhookId={id} />
      <p>
        While it fails it is tried with one event at a time; the others wait and use up no attempt.
        If nothing arrives until {formatSince(off, now)}, it is switched off.
      </p>
    </Notice>
  )
}
