// The next scheduled charges: each campaign with its numbers.

import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/session'
import { formatMoney, plural } from '../../lib/format'
import { useRenewals } from '../../lib/use-outlook'
import { Time } from '../../ui/display/Time'
import { Skeleton } from '../../ui/layout/Page'

const SHOWN = 6

export function Renewals() {
  const renewals = useRenewals()
  const mayRead = useMay('read')
  if (!renewals) return <Skeleton rows={3} />
  if (renewals.length === 0) {
    return <p className="text-ink-2">No active campaigns, so nothing renews.</p>
  }
  return (
    <ul>
      {renewals.slice(0, SHOWN).map(({ id, campaign, numbers, at, amount }) => (
        <li
          key={id}
          className="flex min-h-10 items-center gap-3 border-t border-line py-1 first:border-0"
        >
          <span className="min-w-0 flex-1">
            {mayRead ? (
              <Link
                to="/campaigns/$id"
                params={{ id }}
                className="block truncate hover:underline"
                dir="auto"
                title={campaign.displayName}
              >
                {campaign.displayName || id}
              </Link>
            ) : (
              <span className="block truncate" dir="auto">
                {campaign.displayName || id}
              </span>
            )}
            <span className="text-sm text-ink-2">
              <Time at={at} />
              {numbers > 0 ? `, including ${plural(numbers, 'number')}` : ''}
            </span>
          </span>
          <span>{formatMoney(amount, 2)}</span>
        </li>
      ))}
      {renewals.length > SHOWN ? (
        <li className="pt-2 text-sm text-ink-2">and {renewals.length - SHOWN} more</li>
      ) : null}
    </ul>
  )
}
