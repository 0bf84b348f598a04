// The two values that prove where an event comes from, and how to use each.

import type { ReactNode } from 'react'
import type { Webhook } from '../../../generated/types.gen'
import { useServiceNow } from '../../lib/service-time'
import { Time } from '../../ui/display/Time'
import { SecretField } from '../../ui/inputs/SecretField'

export function SecretList({ webhook, rotate }: { webhook: Webhook; rotate?: ReactNode }) {
  const now = useServiceNow()
  const { signature, secret, formerSecretUntil } = webhook
  if (secret === null) {
    return (
      <p className="text-ink-2">
        This token can’t view secrets. Sign in with a token that has the manage scope.
      </p>
    )
  }
  const isFormerLive = formerSecretUntil !== null && new Date(formerSecretUntil) > now
  return (
    <dl className="grid gap-x-4 gap-y-3 sm:grid-cols-[6rem_minmax(0,1fr)]">
      <dt className="font-medium">signature</dt>
      <dd>
        <SecretField label="signature" value={signature} />
        <p className="text-sm text-ink-2">
          Sent unchanged in <code className="font-mono">x-webhook-signature</code>: a shared
          password. It does not protect the body.
        </p>
      </dd>
      <dt className="font-medium">secret</dt>
      <dd>
        <div className="flex flex-wrap items-center gap-2">
          <SecretField label="secret" value={secret} />
          {rotate}
        </div>
        <p className="text-sm text-ink-2">
          Signs the body (Standard Webhooks) in <code className="font-mono">webhook-signature</code>{' '}
          and is never sent.
        </p>
        {isFormerLive ? (
          <p className="text-sm text-ink-2">
            Deliveries are also signed with the previous secret until{' '}
            <Time at={formerSecretUntil} form="since" />.
          </p>
        ) : null}
      </dd>
    </dl>
  )
}
