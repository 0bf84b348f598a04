// Activity: what operators, people, and tokens did to this account, including each time the operator looked up its messages.

import { useInfiniteQuery } from '@tanstack/react-query'
import type { Activity } from '../../../generated/types.gen'
import { activityQuery } from '../../api/lookup-queries'
import { describeActivity, describeActor } from '../../lib/describe-activity'
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
            Actions of your operator, sign-ins, and changes to people and tokens are listed here.
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
  const { at, reason } = entry
  return (
    <li className="grid gap-x-4 gap-y-1 px-3 py-2 md:grid-cols-[7.5rem_minmax(0,1fr)]">
      <span className="text-sm text-ink-2">
        <Time at={at} />
      </span>
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{describeActivity(entry)}</p>
        <p className="text-sm text-ink-2 wrap-anywhere">
          {describeActor(entry)}
          {reason ? `. Reason: ${reason}` : ''}
        </p>
      </div>
    </li>
  )
}
