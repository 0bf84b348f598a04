// Carrier links, and recent results by network as a table with bars in its cells.

import { useQuery } from '@tanstack/react-query'
import type { RecentCarrier } from '../../../generated/types.gen'
import { healthQuery } from '../../api/operator-queries'
import { describeError } from '../../lib/describe-error'
import { formatCount } from '../../lib/format'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Badge } from '../../ui/display/Badge'
import { partState } from '../../ui/display/operator-states'
import { Time } from '../../ui/display/Time'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { ButtonLink } from '../../ui/inputs/Button'
import { Card, Page, Skeleton } from '../../ui/layout/Page'
import { Links, ReloadButton } from './carriers/Links'
import { CARRIER_NAMES } from './health/describe-health'
import { HealthSummary, QueueTable } from './health/KeepingUp'

export function Carriers() {
  const { data, error, refetch } = useQuery(healthQuery)
  return (
    <Page
      title="Carriers"
      meta={
        data ? (
          <>
            <Badge state={partState(data.carrier.state)} />
            {data.carrier.downSince ? (
              <span className="text-sm text-ink-2">
                since <Time at={data.carrier.downSince} form="since" />
              </span>
            ) : null}
          </>
        ) : null
      }
      actions={
        <>
          <ReloadButton />
          <ButtonLink look="filled" to="/operator/carriers/add">
            Add carrier
          </ButtonLink>
          <ApiRequestButton request={{ method: 'GET', path: '/operator/v1/carrier/list' }} />
        </>
      }
    >
      {error ? (
        <div className="mb-4">
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        </div>
      ) : null}
      {!data && !error ? <Skeleton rows={10} /> : null}
      {data ? (
        <div className="flex flex-col gap-4">
          {data.carrier.state === 'none' ? null : <HealthSummary health={data} />}
          <Links isSetUp={data.carrier.state !== 'none'} />
          <Card title={`By network, last ${data.recent.minutes} minutes`}>
            <Networks carriers={data.recent.carriers} minutes={data.recent.minutes} />
          </Card>
          <Card title="Queue by route">
            <QueueTable queue={data.queue} />
          </Card>
        </div>
      ) : null}
    </Page>
  )
}

interface NetworksProps {
  carriers: readonly RecentCarrier[]
  minutes: number
}

function Networks({ carriers, minutes }: NetworksProps) {
  const most = Math.max(1, ...carriers.map(({ accepted }) => accepted))
  return (
    <ul className="divide-y divide-line">
      {carriers.map((carrier) => (
        <Network key={carrier.carrier} carrier={carrier} most={most} minutes={minutes} />
      ))}
    </ul>
  )
}

interface NetworkProps {
  carrier: RecentCarrier
  most: number
  minutes: number
}

function Network({ carrier, most, minutes }: NetworkProps) {
  const { accepted, sent, delivered, waiting, failed, errors } = carrier
  const share = accepted > 0 ? `${((failed / accepted) * 100).toFixed(1)}%` : '–'
  const figures: [string, string][] = [
    ['Per minute', (accepted / minutes).toFixed(1)],
    ['Accepted', formatCount(accepted)],
    ['Sent', formatCount(sent)],
    ['Delivered', formatCount(delivered)],
    ['Waiting', formatCount(waiting)],
    ['Failed', formatCount(failed)],
    ['Failure rate', share],
  ]
  return (
    <li className="py-3">
      <div className="mb-2 flex items-center gap-3">
        <h3 className="w-32 shrink-0 font-medium">
          {CARRIER_NAMES[carrier.carrier] ?? carrier.carrier}
        </h3>
        <span aria-hidden="true" className="flex h-2 flex-1 overflow-hidden rounded-sm bg-hover">
          <span className="bg-accent" style={{ width: `${((accepted - failed) / most) * 100}%` }} />
          <span
            className="bg-[repeating-linear-gradient(45deg,var(--color-bad-solid)_0_2px,var(--color-bad-soft)_2px_4px)]"
            style={{ width: `${(failed / most) * 100}%` }}
          />
        </span>
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-1 sm:grid-cols-4 lg:grid-cols-7">
        {figures.map(([name, value]) => (
          <div key={name} className="flex items-baseline justify-between gap-2 lg:block">
            <dt className="text-sm text-ink-2">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {errors.length > 0 ? (
        <p className="mt-2 text-sm text-ink-2">
          Errors:{' '}
          {errors
            .map(
              ({ code, count }) =>
                `${describeError(code)?.name ?? `error ${code}`}: ${formatCount(count)}`,
            )
            .join(', ')}
        </p>
      ) : null}
    </li>
  )
}
