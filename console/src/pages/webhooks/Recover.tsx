// Resends failed and held deliveries since a given time, with their count first.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Webhook } from '../../../generated/types.gen'
import { recoveryQuery } from '../../api/webhook-queries'
import { DAY_MS } from '../../lib/durations'
import { formatCount, plural } from '../../lib/format'
import { serviceNow } from '../../lib/service-time'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Dialog } from '../../ui/feedback/Dialog'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Field, Input } from '../../ui/inputs/Field'
import type { Recovered } from './RecoverProgress'
import { recoverAll } from './recover'

interface RecoverProps {
  webhook: Webhook
  onRecovered: (recovered: Recovered) => void
  onClose: () => void
}

/** Deliveries are stored this long. */
const KEPT_MS = 30 * DAY_MS

export function Recover({ webhook, onRecovered, onClose }: RecoverProps) {
  const [text, setText] = useState<string | null>(null)
  const all = useQuery(recoveryQuery(webhook.id, null))
  const [dayAgo] = useState(() => new Date(serviceNow().getTime() - DAY_MS))
  const shown = text ?? localText(new Date(all.data?.recovery.oldestAt ?? dayAgo))
  const since = isoOf(shown) ?? new Date(serviceNow().getTime() - KEPT_MS).toISOString()
  const { data, error, refetch } = useQuery({
    ...recoveryQuery(webhook.id, since),
    enabled: all.data !== undefined,
    placeholderData: (previous) => previous,
  })
  const count = data ? data.recovery.held + data.recovery.failed : null
  const recover = useAct((key) => recoverAll(webhook.id, since, key), {
    onDone: (sent) => {
      onRecovered({ count: sent, since, at: serviceNow().toISOString() })
      onClose()
    },
  })
  const failure = recover.error ?? all.error ?? error
  const blocked = !webhook.enabled
    ? 'Enable the webhook first'
    : count === 0 && 'Nothing has failed or been held since then'
  return (
    <Dialog
      title="Recover deliveries"
      onClose={onClose}
      actions={
        <>
          <ApiRequestButton
            request={{ method: 'POST', path: `/v1/webhook/${webhook.id}/recover`, body: { since } }}
          />
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            onClick={() => recover.run()}
            busy={recover.isBusy && 'Sending…'}
            blocked={count === null ? 'Counting…' : blocked}
          >
            {count ? `Resend ${formatCount(count)}${data?.recovery.hasMore ? '+' : ''}` : 'Resend'}
          </Button>
        </>
      }
    >
      <Field label="Resend failed and held deliveries since" help={ZONE}>
        {(tied) => (
          <Input
            {...tied}
            type="datetime-local"
            value={shown}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <p role="status" className="text-ink-2">
        {count === null
          ? 'Counting…'
          : count === 0
            ? 'No deliveries have failed or been held since then.'
            : `${plural(count, 'delivery', 'deliveries')}, oldest first. Events that have since been delivered are not included.`}
      </p>
      {webhook.enabled ? null : <p className="text-warn-ink">Enable the webhook first.</p>}
      {failure ? (
        <ErrorNotice
          error={failure}
          isAnswer={recover.error !== null}
          {...(recover.error ? {} : { onRetry: () => void refetch() })}
        />
      ) : null}
    </Dialog>
  )
}

const ZONE = `In your time zone (${Intl.DateTimeFormat().resolvedOptions().timeZone}).`

/** In the format of a datetime-local field: in the reader's time zone, to the minute. */
function localText(moment: Date): string {
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

function isoOf(text: string): string | null {
  const moment = new Date(text)
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString()
}
