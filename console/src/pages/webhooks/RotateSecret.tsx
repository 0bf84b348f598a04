// A new secret. The previous one keeps signing for 24 hours.

import type { Webhook } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { formatSince } from '../../lib/format-time'
import { serviceNow, useServiceNow } from '../../lib/service-time'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/feedback/Dialog'
import { toast } from '../../ui/feedback/Toast'

const BOTH_SIGN_MS = 24 * 3_600_000

export function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const now = useServiceNow()
  const rotate = useAct(
    (key) => request('POST /v1/webhook/{id}/rotate', { path: { id: webhook.id }, key }),
    {
      onDone: ({ webhook: { formerSecretUntil } }) => {
        const until = formerSecretUntil && formatSince(new Date(formerSecretUntil), serviceNow())
        toast(`Secret rotated. Deliveries are also signed with the previous secret until ${until}.`)
        onClose()
      },
    },
  )
  const until = formatSince(new Date(now.getTime() + BOTH_SIGN_MS), now)
  const isFormerLive =
    webhook.formerSecretUntil !== null && new Date(webhook.formerSecretUntil) > now
  return (
    <Confirm
      title="Rotate secret?"
      consequence={
        <>
          <p>
            A new secret is created. For 24 hours, until {until}, deliveries are signed with both
            secrets.
          </p>
          {isFormerLive ? (
            <p>The secret from before the last rotation stops signing immediately.</p>
          ) : null}
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
