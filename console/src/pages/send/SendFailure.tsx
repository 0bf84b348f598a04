// Why a message was not sent, starting with the API's own sentence, and what to do: the cost and the balance, since
// when someone opted out, or when it is retried automatically.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { accountQuery } from '../../api/queries'
import { ApiFailure, NoConnection } from '../../api/request'
import { recipientQuery } from '../../api/send-queries'
import { useSession } from '../../api/session'
import { formatMoney, formatPhone, plural } from '../../lib/format'

import { Time } from '../../ui/display/Time'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { ButtonLink } from '../../ui/inputs/Button'
import { CopyButton } from '../../ui/inputs/Copy'

interface FailureProps {
  error: Error
  price: number | null
  campaign: string
  to: string
  onRetry: () => void
}

export function SendFailure({ error, price, campaign, to, onRetry }: FailureProps) {
  const code = error instanceof ApiFailure ? error.code : null
  const status = error instanceof ApiFailure ? error.status : null
  if (status === 429) return <Waiting error={error as ApiFailure} onRetry={onRetry} />
  if (status === 402) return <ErrorNotice isAnswer error={error} hint={<Unpaid price={price} />} />
  if (code === 'recipient_opted_out') {
    const hint = <OptedOut campaign={campaign} to={to} />
    return <ErrorNotice isAnswer error={error} hint={hint} />
  }
  if (code === 'idempotency_other_request') {
    const hint: ReactNode = (
      <>
        The previous text may have been sent, so this one was not.{' '}
        <ButtonLink look="quiet" to="/messages">
          View messages
        </ButtonLink>
      </>
    )
    return <ErrorNotice isAnswer error={error} hint={hint} />
  }
  const isSafe = error instanceof NoConnection || (status ?? 0) >= 500
  if (!isSafe) return <ErrorNotice isAnswer error={error} />
  const hint =
    'Retrying is safe. The same idempotency key is used, so nothing is sent or charged twice. Your draft is saved.'
  return <ErrorNotice isAnswer error={error} hint={hint} onRetry={onRetry} />
}

export function Unpaid({ price }: { price: number | null }) {
  const { data } = useQuery(accountQuery)
  const { account, mode } = useSession()
  const command = `npx longcode credit ${account?.accountId ?? 'ACCOUNT'} 100`
  return (
    <>
      {price !== null && data
        ? `This costs ${formatMoney(price)}. Your balance is ${formatMoney(data.account.balance)}. `
        : ''}
      Ask your operator to add credit.
      {mode === 'sandbox' ? (
        <span className="flex flex-wrap items-center gap-1">
          Sandbox: <code className="font-mono text-sm wrap-anywhere">{command}</code>
          <CopyButton text={command} label="command" />
        </span>
      ) : null}
    </>
  )
}

function OptedOut({ campaign, to }: { campaign: string; to: string }) {
  const { data } = useQuery(recipientQuery(campaign, to))
  return (
    <>
      {formatPhone(to)} {data?.optedOut?.how ?? 'opted out'}
      {data?.optedOut ? (
        <>
          {' '}
          <Time at={data.optedOut.at} form="when" />
        </>
      ) : null}
      . Before you can message them again, the recipient must text START or you must record consent.{' '}
      <Link
        to="/campaigns/$id/optouts"
        params={{ id: campaign }}
        search={{ number: to }}
        className="text-accent-ink underline"
      >
        View opt-out
      </Link>
    </>
  )
}

/** Counts down and retries automatically. */
function Waiting({ error, onRetry }: { error: ApiFailure; onRetry: () => void }) {
  const left = useCountdown(error.retryAfterS ?? 1, onRetry)
  return <ErrorNotice isAnswer error={error} hint={`Retrying in ${plural(left, 'second')}.`} />
}

function useCountdown(seconds: number, onZero: () => void): number {
  const [left, setLeft] = useState(Math.max(1, Math.ceil(seconds)))
  const act = useRef(onZero)
  act.current = onZero
  useEffect(() => {
    const timer = setTimeout(
      () => (left > 0 ? setLeft(left - 1) : act.current()),
      left > 0 ? 1_000 : 0,
    )
    return () => clearTimeout(timer)
  }, [left])
  return left
}
