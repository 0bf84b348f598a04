// Activity: what operators and tokens did to this account, including each time the operator looked up its messages.

import { useInfiniteQuery } from '@tanstack/react-query'
import type { Activity } from '../../../generated/types.gen'
import { activityQuery } from '../../api/lookup-queries'
import { formatPhone, plural } from '../../lib/format'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { ListCard } from '../../ui/display/ListCard'
import { Time } from '../../ui/display/Time'
import { Empty } from '../../ui/layout/Page'
import { SettingsPage } from './SettingsPage'

export function ActivitySettings() {
  const list = useInfiniteQuery(activityQuery)
  return (
    <SettingsPage
      title="activity"
      actions={<ApiRequestButton request={{ method: 'GET', path: '/v1/account/activity' }} />}
    >
      <ListCard
        list={list}
        rows={list.data?.pages.flatMap(({ activity }) => activity)}
        loading={{ rows: 6, height: 56 }}
        empty={
          <Empty title="No activity yet">
            Actions of your operator and changes to your tokens are listed here.
          </Empty>
        }
      >
        {(entries) => (
          <ol aria-label="Activity, newest first" className="divide-y divide-line">
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        )}
      </ListCard>
    </SettingsPage>
  )
}

function Entry({ entry }: { entry: Activity }) {
  const { at, by, actor, reason } = entry
  return (
    <li className="grid gap-x-4 gap-y-1 px-3 py-2 md:grid-cols-[7.5rem_minmax(0,1fr)]">
      <span className="text-sm text-ink-2">
        <Time at={at} />
      </span>
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{describe(entry)}</p>
        <p className="text-sm text-ink-2 wrap-anywhere">
          {by === 'operator' ? `Operator ${actor}` : `Token ${actor}`}
          {reason ? `. Reason: ${reason}` : ''}
        </p>
      </div>
    </li>
  )
}

function describe({ act, subject, messages, withText }: Activity): string {
  const about = subject?.startsWith('+') ? formatPhone(subject) : (subject ?? '')
  if (act === 'message.lookup') {
    const texts = withText ? 'with texts' : 'without texts'
    return `Looked up ${plural(messages ?? 0, 'message')} ${texts}: ${about}`
  }
  const words = act.replace('.', ': ').replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${about && ` (${about})`}`
}
