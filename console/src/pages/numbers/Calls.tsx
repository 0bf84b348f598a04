// Calls to a number: where they ring, how many there were, and a test call in the sandbox.

import { useQuery } from '@tanstack/react-query'
import { PhoneForwarded, PhoneOff } from 'lucide-react'
import { useState } from 'react'
import type { GetNumberCallsReply } from '../../../generated/types.gen'
import {
  type Awaited,
  awaitOneMore,
  CALL_DAYS,
  countOf,
  numberCallsQuery,
} from '../../api/number-call-queries'
import { useSession } from '../../api/session'
import { formatPhone } from '../../lib/format'
import { useServiceNow } from '../../lib/service-time'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Badge } from '../../ui/display/Badge'
import { state } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Card, Empty, Skeleton } from '../../ui/layout/Page'
import { CallChart } from './CallChart'
import { CallNumber } from './CallNumber'
import { ForwardForm } from './ForwardForm'
import { digitsOf } from './number-acts'

interface CallsProps {
  number: { phoneNumber: string; forwardNumber: string | null }
}

export function Calls({ number: { phoneNumber, forwardNumber } }: CallsProps) {
  const { mode } = useSession()
  const [status, setStatus] = useState<string | null>(null)
  const [awaited, setAwaited] = useState<Awaited | null>(null)
  const digits = digitsOf(phoneNumber)
  const calls = useQuery(numberCallsQuery(digits, awaited))
  const isSandbox = mode === 'sandbox'
  return (
    <Card>
      <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="text-lg font-semibold">Calls</h2>
        <Badge
          state={
            forwardNumber
              ? state('ok', PhoneForwarded, 'Forwarded', `To ${formatPhone(forwardNumber)}`)
              : state(
                  'wait',
                  PhoneOff,
                  'Not forwarded',
                  'Callers hear that the number is unavailable',
                )
          }
        />
        <span className="ml-auto">
          <ApiRequestButton
            request={{
              method: 'GET',
              path: `/v1/number/${digits}/calls`,
              query: { days: CALL_DAYS },
            }}
          />
        </span>
      </div>
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
        <div className="min-w-0">
          <ForwardForm phone={phoneNumber} forwardNumber={forwardNumber} onDone={setStatus} />
          <p role="status" className="mt-3 text-ok-ink empty:hidden">
            {status}
          </p>
        </div>
        <div className="min-w-0">
          {calls.error ? (
            <ErrorNotice error={calls.error} onRetry={() => void calls.refetch()} />
          ) : calls.data ? (
            <Figures calls={calls.data} hint={hintOf(isSandbox, forwardNumber !== null)} />
          ) : (
            <Skeleton rows={4} />
          )}
        </div>
      </div>
      {isSandbox ? (
        <div className="mt-4 border-t border-line pt-4">
          <CallNumber
            key={forwardNumber}
            phone={phoneNumber}
            onDone={() => setAwaited(awaitOneMore(calls.data))}
          />
        </div>
      ) : null}
    </Card>
  )
}

function Figures({ calls, hint }: { calls: GetNumberCallsReply; hint: string }) {
  const now = useServiceNow()
  const last = calls.lastCallAt ? (
    <p className="mb-1">
      <span className="text-ink-2">Last call:</span> <Time at={calls.lastCallAt} form="when" />
    </p>
  ) : null
  if (countOf(calls) === 0) {
    return (
      <Empty title={`No calls in the last ${CALL_DAYS} days`}>
        {last}
        {hint}
      </Empty>
    )
  }
  return (
    <>
      {last}
      <CallChart days={calls.days} count={CALL_DAYS} now={now} />
    </>
  )
}

function hintOf(isSandbox: boolean, isForwarded: boolean): string {
  if (!isForwarded) {
    return 'Set a forwarding number. Until then, callers hear that the number is unavailable.'
  }
  return isSandbox
    ? 'Place a test call to see where callers are forwarded.'
    : 'Calls arrive through your operator’s SIP trunks and are counted here.'
}
