// Alerts: open problems first, then past ones, and which kinds are muted.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ListedAlert } from '../../generated/types.gen'
import { alertSettingsQuery, alertsQuery, openAlertsQuery } from '../api/alert-queries'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { ListCard } from '../ui/display/ListCard'
import { ErrorNotice } from '../ui/feedback/Notice'
import { Card, Empty, Page, Skeleton } from '../ui/layout/Page'
import { AlertList } from './alerts/AlertList'
import { AlertSettingsForm } from './alerts/AlertSettingsForm'

export function Alerts() {
  const open = useQuery(openAlertsQuery)
  const all = useInfiniteQuery(alertsQuery)
  const isPast = ({ clearedAt }: ListedAlert) => clearedAt !== null
  return (
    <Page
      title="Alerts"
      actions={<ApiRequestButton request={{ method: 'GET', path: '/v1/alert/list' }} />}
    >
      <div className="flex flex-col gap-4">
        <ListCard
          title="Open"
          list={open}
          rows={open.data?.alerts}
          loading={{ rows: 2, height: 88 }}
          empty={
            <Empty title="No open alerts">
              Problems such as a low delivery rate or a failing webhook appear here.
            </Empty>
          }
        >
          {(alerts) => <AlertList label="Open alerts" alerts={alerts} />}
        </ListCard>
        <ListCard
          title="Past"
          list={all}
          rows={all.data?.pages.flatMap(({ alerts }) => alerts).filter(isPast)}
          loading={{ rows: 2, height: 88 }}
          empty={<Empty title="No past alerts">Alerts stay here for 90 days.</Empty>}
        >
          {(alerts) => <AlertList label="Past alerts" alerts={alerts} />}
        </ListCard>
        <Card title="Settings" className="max-w-180">
          <Settings />
        </Card>
      </div>
    </Page>
  )
}

function Settings() {
  const { data, error, refetch } = useQuery(alertSettingsQuery)
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  return data ? <AlertSettingsForm settings={data.settings} /> : <Skeleton rows={6} />
}
