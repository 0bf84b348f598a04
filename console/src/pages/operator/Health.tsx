// Whether the service keeps up: its components, its queues, and the last minutes. Refetched every five
// seconds.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LaneDepth, OperatorGetHealthReply } from '../../../generated/types.gen'
import { installationAlertsQuery } from '../../api/alert-queries'
import { healthQuery } from '../../api/operator-queries'
import { formatCount, plural } from '../../lib/format'
import { formatDuration } from '../../lib/format-time'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Badge } from '../../ui/display/Badge'
import { Meter } from '../../ui/display/Meter'
import { callsState, partState } from '../../ui/display/operator-states'
import { Time } from '../../ui/display/Time'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Id } from '../../ui/inputs/Copy'
import { Card, Page, Skeleton } from '../../ui/layout/Page'
import { AlertList } from '../alerts/AlertList'
import { ROUTE_NAMES } from './health/describe-health'
import { HealthSummary, QueueTable } from './health/KeepingUp'
import { MinutesChart } from './health/MinutesChart'

export function Health() {
  const { data, error, refetch } = useQuery(healthQuery)
  return (
    <Page
      title="Health"
      meta={
        data ? (
          <span className="text-sm text-ink-2">
            as of <Time at={data.now} form="since" />
          </span>
        ) : null
      }
      actions={<ApiRequestButton request={{ method: 'GET', path: '/operator/v1/health' }} />}
    >
      {error ? (
        <div className="mb-4">
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        </div>
      ) : null}
      {!data && !error ? <Skeleton rows={12} /> : null}
      <OpenAlerts />
      {data ? <HealthView health={data} /> : null}
    </Page>
  )
}

/** Problems of carrier links, if there are any. */
function OpenAlerts() {
  const { data } = useQuery(installationAlertsQuery)
  const alerts = data?.alerts.filter(({ muted }) => !muted) ?? []
  if (alerts.length === 0) return null
  return (
    <Card title="Alerts" className="mb-4">
      <AlertList label="Open alerts" alerts={alerts} />
    </Card>
  )
}

function HealthView({ health }: { health: OperatorGetHealthReply }) {
  const { recent, queue, lanes } = health
  return (
    <div className="flex flex-col gap-4">
      <HealthSummary health={health} />
      <Parts health={health} />
      <Card title={`Last ${recent.minutes} minutes`}>
        <MinutesChart minutes={recent.byMinute} />
        {recent.isComplete ? null : (
          <p className="mt-2 text-sm text-ink-2">
            These counts cover only 10,000 messages. See /metrics for all of them.
          </p>
        )}
      </Card>
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <Card title="Queue by route">
          <QueueTable queue={queue} />
        </Card>
        <Card title="Longest queues">
          <Lanes lanes={lanes} />
        </Card>
      </div>
    </div>
  )
}

function Parts({ health }: { health: OperatorGetHealthReply }) {
  const { database, carrier, webhooks, connections, calls } = health
  const inUse = connections.busy
  return (
    <div className="grid grid-cols-2 gap-4 xl:grid-cols-5">
      <Card title="Database">
        <Badge state={partState(database.state)} />
        <p className="mt-2 text-sm text-ink-2">{database.problem ?? 'Accepts reads and writes.'}</p>
      </Card>
      <Card title="Carrier link">
        <Badge state={partState(carrier.state)} />
        <p className="mt-2 text-sm text-ink-2">
          <Link to="/operator/carriers" className="text-accent-ink underline">
            {describeLinks(carrier)}
          </Link>
          {carrier.downSince ? (
            <>
              {' '}
              since <Time at={carrier.downSince} form="since" />
            </>
          ) : null}
        </p>
      </Card>
      <Card title="Webhooks">
        <p>{plural(webhooks.waiting, 'delivery', 'deliveries')} waiting</p>
        <p className="mt-2 text-sm text-ink-2">
          {webhooks.oldestSeconds === null
            ? 'None due.'
            : `Oldest: ${formatDuration(webhooks.oldestSeconds)}.`}{' '}
          <Link to="/operator/webhooks" className="text-accent-ink underline">
            {formatCount(webhooks.off)} disabled
          </Link>
        </p>
      </Card>
      <Card title="Connections">
        <Meter
          label="Database"
          value={inUse}
          max={connections.max}
          text={`${inUse} / ${connections.max}`}
          spoken={`${inUse} of ${connections.max} connections in use`}
          help={
            connections.waiting > 0
              ? `${plural(connections.waiting, 'query', 'queries')} waiting for a connection.`
              : 'On the node that responded.'
          }
        />
      </Card>
      <Card title="Calls" className="col-span-2 xl:col-span-1">
        <Badge state={callsState(calls.state)} />
        <p className="mt-2 text-sm text-ink-2">{describeCalls(calls)}</p>
      </Card>
    </div>
  )
}

function describeCalls({ state, port, tlsPort, trunks, numbers }: OperatorGetHealthReply['calls']) {
  if (state === 'elsewhere') return 'The node that responded does not run the voice role.'
  const inventory = `${plural(trunks, 'trunk')}, ${plural(numbers, 'number')} in memory.`
  if (state === 'silent') return `No SIP port is open on this node. ${inventory}`
  return `Port ${port}${tlsPort === null ? '' : `, TLS ${tlsPort}`}. ${inventory}`
}

function describeLinks({ name, links }: OperatorGetHealthReply['carrier']): string {
  const up = links.filter(({ state }) => state === 'up').length
  return links.length > 1 ? `${up} of ${links.length} links up` : (links[0]?.link ?? name)
}

function Lanes({ lanes }: { lanes: readonly LaneDepth[] }) {
  if (lanes.length === 0) return <p className="text-ink-2">No campaign has waiting messages.</p>
  return (
    <ul className="divide-y divide-line">
      {lanes.map(({ campaignId, route, waiting, oldestSeconds }) => (
        <li key={`${campaignId} ${route}`} className="flex items-center gap-3 py-2">
          <div className="min-w-0 flex-1">
            <Link
              to="/operator/reviews/campaign/$id"
              params={{ id: campaignId }}
              className="text-accent-ink underline"
            >
              {ROUTE_NAMES[route] ?? route}
            </Link>
            <div>
              <Id id={campaignId} />
            </div>
          </div>
          <span className="text-right">
            {formatCount(waiting)}
            <span className="block text-sm text-ink-2">{formatDuration(oldestSeconds ?? 0)}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}
