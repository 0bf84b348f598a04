// The review queue: brands first, since campaigns wait for them. List and record side by side, or two pages on a
// phone. j and k move, Enter opens, a approves, r returns, Esc goes back.

import { Outlet, useParams } from '@tanstack/react-router'
import { formatCount, plural } from '../../lib/format'
import { formatDuration } from '../../lib/format-time'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Empty, Page, Skeleton } from '../../ui/layout/Page'
import { QueueList } from './reviews/QueueList'
import { useQueue } from './reviews/use-queue'

export function Reviews() {
  const { id: openId } = useParams({ strict: false })
  const queue = useQueue()
  const { data, error, refetch } = queue
  return (
    <Page
      title="Reviews"
      meta={
        data ? (
          <span className="text-ink-2">
            Brands {formatCount(data.brands.waiting)} · Campaigns{' '}
            {formatCount(data.campaigns.waiting)}
          </span>
        ) : null
      }
      actions={<ApiRequestButton request={{ method: 'GET', path: '/operator/v1/review/queue' }} />}
    >
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <div
          className={`rounded-lg border border-line bg-surface lg:sticky lg:top-20 lg:max-h-[calc(100dvh-6rem)] lg:overflow-y-auto ${openId ? 'max-lg:hidden' : ''}`}
        >
          {error ? (
            <div className="p-3">
              <ErrorNotice
                error={error}
                hint="The record could not be loaded. Your notes are saved in this browser."
                onRetry={() => void refetch()}
              />
            </div>
          ) : null}
          {data ? (
            <QueueList queue={queue} data={data} openId={openId ?? null} />
          ) : error ? null : (
            <div className="p-3">
              <Skeleton rows={5} height={56} />
            </div>
          )}
        </div>
        {openId ? (
          <Outlet />
        ) : (
          <div className="rounded-lg border border-line bg-surface max-lg:hidden">
            {queue.items.length > 0 ? (
              <Empty title="Select a record">
                j and k move, ⏎ opens, a approves, r returns with your notes, Esc goes back.
              </Empty>
            ) : data ? (
              <AllDone lastDay={data.lastDay} />
            ) : null}
          </div>
        )}
      </div>
      {data && queue.items.length === 0 && !openId ? (
        <div className="lg:hidden">
          <AllDone lastDay={data.lastDay} />
        </div>
      ) : null}
    </Page>
  )
}

interface LastDay {
  decided: number
  medianSeconds: number | null
}

function AllDone({ lastDay: { decided, medianSeconds } }: { lastDay: LastDay }) {
  const median =
    medianSeconds === null ? '' : `, median ${formatDuration(Math.max(0, medianSeconds))}`
  return (
    <Empty title="All caught up">
      No reviews are waiting.{' '}
      {decided > 0 ? `Last 24 hours: ${plural(decided, 'decision')}${median}.` : null}
    </Empty>
  )
}
