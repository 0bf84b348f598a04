// The attempts of a delivery: past ones, the next, and when later ones would be.

import { CircleDashed } from 'lucide-react'
import type { Delivery } from '../../../generated/types.gen'
import { isSuccess } from '../../lib/delivery-figures'
import { plannedAttempts } from '../../lib/describe-webhook'
import { formatExact, formatLocal, formatSince, formatUtc } from '../../lib/format-time'
import { useServiceNow } from '../../lib/service-time'
import { Badge } from '../../ui/display/Badge'
import { Time } from '../../ui/display/Time'
import { deliveryState } from '../../ui/display/webhook-states'

export function Attempts({ delivery }: { delivery: Delivery }) {
  const { attempts, nextAttemptAt } = delivery
  return (
    <ol aria-live="polite" className="flex flex-col gap-2">
      {attempts.map((attempt) => (
        <Made key={attempt.attempt} attempt={attempt} />
      ))}
      {nextAttemptAt ? <ToCome delivery={delivery} nextAt={new Date(nextAttemptAt)} /> : null}
      {attempts.length === 0 && !nextAttemptAt ? (
        <li className="text-ink-2">No attempts yet.</li>
      ) : null}
    </ol>
  )
}

function Made({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const at = new Date(attempt.at)
  const { responseCode, durationMs, error } = attempt
  const answer = responseCode === null ? 'no response' : String(responseCode)
  const state = deliveryState({
    state: isSuccess(attempt) ? 'delivered' : 'failed',
    answer: `${answer} · ${durationMs} ms`,
    retry: null,
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="w-5 text-right text-ink-3">{attempt.attempt}</span>
      <Badge state={{ ...state, meaning: '' }} />
      <time
        dateTime={attempt.at}
        title={`${formatLocal(at)}\n${formatUtc(at)}`}
        className="text-sm text-ink-2"
      >
        {formatExact(at)}
      </time>
      {error ? (
        <span className="basis-full pl-8 text-sm wrap-anywhere text-ink-2">{error}</span>
      ) : null}
    </li>
  )
}

function ToCome({ delivery, nextAt }: { delivery: Delivery; nextAt: Date }) {
  const now = useServiceNow()
  const { attempts } = delivery
  const last = attempts.at(-1)
  const later = last ? plannedAttempts(new Date(last.at), nextAt, attempts.length) : []
  return (
    <li className="flex items-start gap-3 text-ink-2">
      <span className="w-5 text-right text-ink-3">{attempts.length + 1}</span>
      <CircleDashed size={14} aria-hidden="true" className="mt-1 shrink-0" />
      <div>
        <p>
          Next attempt: <Time at={nextAt} />
        </p>
        {later.length > 0 ? (
          <p className="text-sm">
            Later attempts, if it fails: {later.map((at) => formatSince(at, now)).join(' · ')}
          </p>
        ) : null}
      </div>
    </li>
  )
}
