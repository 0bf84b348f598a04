// The credential for apps written for Twilio. Unlike other tokens, it can be shown again.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { twilioQuery } from '../../api/account-queries'
import { request } from '../../api/request'
import { useSession } from '../../api/session'
import { useAct } from '../../lib/use-act'
import { Confirm } from '../../ui/feedback/Dialog'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Id } from '../../ui/inputs/Copy'
import { SecretField } from '../../ui/inputs/SecretField'
import { Card } from '../../ui/layout/Page'

export function TwilioAccess() {
  const { account } = useSession()
  return account?.scopes.includes('manage') ? <TwilioCard /> : null
}

function TwilioCard() {
  const { data, error, refetch } = useQuery(twilioQuery)
  const [isConfirming, setConfirming] = useState(false)
  const make = useAct((key) => request('POST /v1/account/twilio', { key }), {
    onDone: () => setConfirming(false),
  })
  const twilio = data?.twilio ?? null
  return (
    <Card className="mt-6 max-w-180">
      <h2 className="font-semibold">Twilio-compatible API</h2>
      <p className="mt-1 text-sm text-ink-2">
        To use this service from an app written for Twilio, change only its base URL and its
        credential.
      </p>
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
      {twilio ? (
        <dl className="mt-3 grid gap-x-6 gap-y-2 sm:grid-cols-[8rem_minmax(0,1fr)]">
          <dt className="text-ink-2">Base URL</dt>
          <dd className="min-w-0">
            <Id id={window.location.origin} />
          </dd>
          <dt className="text-ink-2">AccountSid</dt>
          <dd className="min-w-0">
            <Id id={twilio.accountSid} />
          </dd>
          <dt className="text-ink-2">AuthToken</dt>
          <dd className="min-w-0">
            <SecretField label="AuthToken" value={twilio.authToken} />
          </dd>
        </dl>
      ) : null}
      {data ? (
        <div className="mt-4">
          <Button
            busy={make.isBusy && 'Creating…'}
            onClick={() => (twilio ? setConfirming(true) : make.run())}
          >
            {twilio ? 'Replace AuthToken…' : 'Create credential'}
          </Button>
        </div>
      ) : null}
      {make.error && !isConfirming ? <ErrorNotice error={make.error} isAnswer /> : null}
      {isConfirming ? (
        <Confirm
          title="Replace AuthToken?"
          consequence={
            <p>
              Apps that use the current AuthToken are refused within five seconds and no longer
              accept webhooks from this service.
            </p>
          }
          verb="Replace AuthToken"
          isDanger
          busy={make.isBusy && 'Replacing…'}
          error={make.error}
          onConfirm={() => make.run()}
          onClose={() => setConfirming(false)}
        />
      ) : null}
    </Card>
  )
}
