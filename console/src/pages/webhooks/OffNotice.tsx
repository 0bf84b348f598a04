// A disabled webhook: who disabled it and why, what it missed, and two ways to enable it again.

import { useQuery } from '@tanstack/react-query'
import type { Webhook } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { recoveryQuery } from '../../api/webhook-queries'
import { plural } from '../../lib/format'
import { serviceNow } from '../../lib/service-time'
import { useAct } from '../../lib/use-act'
import { isOffByOwner, OFF_BY_OWNER } from '../../lib/webhook-needs'
import { Time } from '../../ui/display/Time'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { LastAnswer } from './LastAnswer'
import type { Recovered } from './RecoverProgress'
import { recoverAll } from './recover'

interface OffProps {
  webhook: Webhook
  onRecovered: (recovered: Recovered) => void
}

export function OffNotice({ webhook, onRecovered }: OffProps) {
  const { data, error, refetch } = useQuery(recoveryQuery(webhook.id, null))
  const recovery = data?.recovery
  const missed = recovery ? recovery.held + recovery.failed : 0
  const isByOwner = isOffByOwner(webhook)
  return (
    <Notice tone={isByOwner ? 'warn' : 'bad'} title={titleOf(webhook)}>
      {isByOwner ? null : <LastAnswer webhookId={webhook.id} />}
      <p>
        Its events are held for 30 days.{' '}
        {recovery?.oldestAt ? (
          <>
            {recovery.hasMore ? 'More than ' : ''}
            {plural(missed, 'delivery was', 'deliveries were')} held or failed. Oldest:{' '}
            <Time at={recovery.oldestAt} form="when" />.
          </>
        ) : recovery ? (
          'Nothing was missed.'
        ) : null}
      </p>
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
      <SwitchOn
        webhook={webhook}
        missedSince={missed > 0 ? (recovery?.oldestAt ?? null) : null}
        onRecovered={onRecovered}
      />
    </Notice>
  )
}

function titleOf({ disabledReason }: Webhook): string {
  switch (disabledReason) {
    case OFF_BY_OWNER:
      return 'Disabled by you'
    case 'Every delivery has failed for 5 days':
      return 'Disabled after 5 days of failures'
    case 'The endpoint returned 410 Gone':
      return 'Disabled: the endpoint returned 410 Gone'
    default:
      return disabledReason ?? 'Disabled'
  }
}

function SwitchOn({
  webhook: { id },
  missedSince,
  onRecovered,
}: {
  webhook: Webhook
  missedSince: string | null
  onRecovered: OffProps['onRecovered']
}) {
  const act = useAct(
    async (key, since: string | null) => {
      await request('PATCH /v1/webhook/{id}', { path: { id }, body: { enabled: true }, key })
      return since === null ? 0 : recoverAll(id, since, `${key}-recover`)
    },
    {
      onDone: (count, since) => {
        if (since !== null) onRecovered({ count, since, at: serviceNow().toISOString() })
      },
    },
  )
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {missedSince === null ? null : (
        <Button look="filled" onClick={() => act.run(missedSince)} busy={act.isBusy && 'Enabling…'}>
          Enable and send missed events
        </Button>
      )}
      <Button
        look={missedSince === null ? 'filled' : 'plain'}
        onClick={() => act.run(null)}
        busy={act.isBusy && 'Enabling…'}
      >
        {missedSince === null ? 'Enable' : 'Enable without resending'}
      </Button>
      {act.error ? (
        <div className="basis-full">
          <ErrorNotice error={act.error} isAnswer />
        </div>
      ) : null}
    </div>
  )
}
