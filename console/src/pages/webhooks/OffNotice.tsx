// A webhook that is off: who switched it off and why, what was missed meanwhile, and the two ways back.

import { useQuery } from '@tanstack/react-query'
import type { UpdateWebhookReply, Webhook } from '../../../generated/types.gen'
import { call } from '../../api/call'
import { recoveryQuery } from '../../api/webhook-queries'
import { plural } from '../../lib/format'
import { serviceNow } from '../../lib/service-time'
import { useAct } from '../../lib/use-act'
import { isOffByOwner } from '../../lib/webhook-needs'
import { Button } from '../../ui/Button'
import { ErrorNotice, Notice } from '../../ui/Notice'
import { Time } from '../../ui/Time'
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
            {plural(missed, 'delivery was', 'deliveries were')} held or failed, the oldest{' '}
            <Time at={recovery.oldestAt} />.
          </>
        ) : recovery ? (
          'Nothing was missed so far.'
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
    case 'Nothing but failures for 5 days':
      return 'Switched off after 5 days of failures.'
    case 'The endpoint answered 410 Gone':
      return 'Switched off: the endpoint answered 410 Gone.'
    default:
      return `${disabledReason ?? 'Switched off'}.`
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
      await call<UpdateWebhookReply>('PATCH', `/v1/webhook/${id}`, {
        body: { enabled: true },
        idempotencyKey: key,
      })
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
        <Button
          look="filled"
          onClick={() => act.run(missedSince)}
          busy={act.isBusy && 'Switching on…'}
        >
          Switch on and send what was missed
        </Button>
      )}
      <Button
        look={missedSince === null ? 'filled' : 'plain'}
        onClick={() => act.run(null)}
        busy={act.isBusy && 'Switching on…'}
      >
        {missedSince === null ? 'Switch on' : 'Switch on only'}
      </Button>
      {act.error ? (
        <div className="basis-full">
          <ErrorNotice error={act.error} isAnswer />
        </div>
      ) : null}
    </div>
  )
}
