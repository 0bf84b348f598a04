// The frame of an open record: its name and status, its account, its waiting time, and its earlier
// reviews.

import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { BrandReview } from '../../../../generated/types.gen'
import { formatDuration } from '../../../lib/format-time'
import { useServiceNow } from '../../../lib/service-time'
import { useKeys } from '../../../lib/use-keys'
import { Badge } from '../../../ui/display/Badge'
import type { State } from '../../../ui/display/states'
import { Time } from '../../../ui/display/Time'
import { ButtonLink } from '../../../ui/inputs/Button'
import { Id } from '../../../ui/inputs/Copy'

interface FrameProps {
  id: string
  name: string
  state: State
  accountId: string
  review: BrandReview
  /** Shown next to the name: the use case. */
  meta?: ReactNode
  children: ReactNode
}

export function RecordFrame({ id, name, state, accountId, review, meta, children }: FrameProps) {
  const navigate = useNavigate()
  useKeys({ Escape: () => void navigate({ to: '/operator/reviews' }) })
  const { accountName, tries, submittedAt, lastReturn } = review
  return (
    <article aria-label={name} className="rounded-lg border border-line bg-surface p-4">
      <div className="mb-3 lg:hidden">
        <ButtonLink to="/operator/reviews">All reviews</ButtonLink>
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="min-w-0 text-lg font-semibold wrap-anywhere" dir="auto">
          {name}
        </h2>
        <Badge state={state} />
        {meta}
      </div>
      <p className="mb-3 flex flex-wrap items-center gap-x-3 text-sm text-ink-2">
        <Link
          to="/operator/accounts/$id"
          params={{ id: accountId }}
          className="max-w-full truncate text-accent-ink underline"
          dir="auto"
        >
          {accountName}
        </Link>
        {submittedAt ? <Waited since={submittedAt} isWaiting={state.word === 'Pending'} /> : null}
        {tries > 1 ? <span>{ordinal(tries)} submission</span> : null}
        <Id id={id} />
      </p>
      {lastReturn ? (
        <p className="mb-3 text-sm text-ink-2">
          Returned by {lastReturn.by} <Time at={lastReturn.at} form="when" />.{' '}
          {lastReturn.changes === null
            ? 'Its earlier content is no longer available: changes are stored for 30 days.'
            : lastReturn.changes.length === 0
              ? 'No changes since then.'
              : 'Changes since then are marked − and + below.'}
        </p>
      ) : null}
      {children}
    </article>
  )
}

function Waited({ since, isWaiting }: { since: string; isWaiting: boolean }) {
  const now = useServiceNow()
  if (!isWaiting) {
    return (
      <span>
        submitted <Time at={since} form="when" />
      </span>
    )
  }
  return <span>waiting {formatDuration((now.getTime() - Date.parse(since)) / 1000)}</span>
}

export function ordinal(count: number): string {
  return ['1st', '2nd', '3rd'][count - 1] ?? `${count}th`
}
