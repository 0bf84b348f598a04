// A new secret, with the former one signing beside it for a day.

import type { RotateWebhookSecretReply, Webhook } from '../../../generated/types.gen'
import { call } from '../../api/call'
import { formatSince } from '../../lib/format-time'
import { serviceNow, useServiceNow } from '../../lib/service-time'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/Dialog'
import { toast } from '../../ui/Toast'

const BOTH_SIGN_MS = 24 * 3_600_000

export function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const now = useServiceNow()
  const rotate = useAct(
    (idempotencyKey) =>
      call<RotateWebhookSecretReply>('POST', `/v1/webhook/${webhook.id}/rotate`, {
        idempotencyKey,
      }),
    {
      onDone: ({ webhook: { formerSecretUntil } }) => {
        const until = formerSecretUntil && formatSince(new Date(formerSecretUntil), serviceNow())
        toast(`A new secret was made. The old one signs too until ${until}.`)
        onClose()
      },
    },
  )
  const until = formatSince(new Date(now.getTime() + BOTH_SIGN_MS), now)
  const isFormerLive =
    webhook.formerSecretUntil !== null && new Date(webhook.formerSecretUntil) > now
  return (
    <Confirm
      title="Rotate the secret?"
      consequence={
        <>
          <p>A new secret is made. The old one signs too for 24 h, until {until}.</p>
          {isFormerLive ? <p>The one before it ends at once.</p> : null}
        </>
      }
      verb="Rotate secret"
      busy={rotate.isBusy && 'Rotating…'}
      error={rotate.error}
      onConfirm={() => rotate.run()}
      onClose={onClose}
    />
  )
}
