// What somebody has to act on, worst first; one line when there is nothing.

import { useQuery } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { accountQuery, webhooksQuery } from '../../api/queries'
import { ErrorNotice } from '../../ui/Notice'
import { Skeleton } from '../../ui/Page'

const ORDER = ['renewal_unpaid', 'low_balance', 'campaign_returned', 'brand_refused']

export function NeedsYou() {
  const account = useQuery(accountQuery)
  const webhooks = useQuery(webhooksQuery)
  const error = account.error ?? webhooks.error
  if (error) return <ErrorNotice error={error} onRetry={() => void account.refetch()} />
  if (!account.data || !webhooks.data) return <Skeleton rows={1} />
  const notices = [...account.data.notices].sort(
    (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind),
  )
  const off = webhooks.data.webhooks.filter(({ enabled }) => !enabled)
  const lines = [
    ...notices.map(({ text }) => text),
    ...off.map(
      ({ name, url, disabledReason }) =>
        `Webhook “${name ?? url}” is off${disabledReason ? `: ${disabledReason}` : ''}.`,
    ),
  ]
  if (lines.length === 0) {
    return (
      <p className="flex items-center gap-2 text-ink-2">
        <CircleCheck size={16} aria-hidden="true" className="text-ok-ink" />
        Nothing needs you.
      </p>
    )
  }
  return (
    <ul className="flex flex-col gap-2">
      {lines.map((line) => (
        <li key={line} className="flex items-start gap-2 wrap-anywhere">
          <TriangleAlert size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-warn-ink" />
          {line}
        </li>
      ))}
    </ul>
  )
}
