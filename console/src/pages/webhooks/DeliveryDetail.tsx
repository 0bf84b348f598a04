// One delivery: request, response, past and future attempts, and a signature check. Everything shown is what was
// stored.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { DeliveryAttemptInFull, DeliveryInFull, Webhook } from '../../../generated/types.gen'
import { ApiFailure, request } from '../../api/request'
import { deliveryQuery } from '../../api/webhook-queries'
import { isTest } from '../../lib/describe-webhook'
import { curlOfDelivery, headersText } from '../../lib/sent-request'
import { useAct } from '../../lib/use-act'
import { useKeys } from '../../lib/use-keys'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { copyText, Id } from '../../ui/inputs/Copy'
import { Select } from '../../ui/inputs/Field'
import { Skeleton } from '../../ui/layout/Page'
import { Tabs } from '../../ui/layout/Tabs'
import { Answer } from './Answer'
import { Attempts } from './Attempts'
import { DeliveryBadge } from './badges'
import { SentRequest } from './SentRequest'
import { SignatureChecker } from './SignatureChecker'

export function DeliveryDetail({ webhook, deliveryId }: { webhook: Webhook; deliveryId: string }) {
  const { data, error, refetch } = useQuery(deliveryQuery(webhook.id, deliveryId))
  if (error) {
    const isGone = error instanceof ApiFailure && error.status === 404
    return (
      <ErrorNotice
        error={error}
        {...(isGone && {
          hint: 'Deliveries are stored for 30 days. This one has expired or never existed.',
        })}
        onRetry={() => void refetch()}
      />
    )
  }
  if (!data) return <Skeleton rows={10} height={28} />
  return <DeliveryView webhook={webhook} delivery={data.delivery} />
}

function DeliveryView({ webhook, delivery }: { webhook: Webhook; delivery: DeliveryInFull }) {
  const [chosen, setChosen] = useState<number | null>(null)
  const { attempts } = delivery
  const attempt = attempts.find((one) => one.attempt === chosen) ?? attempts.at(-1) ?? null
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2 pr-10">
        <DeliveryBadge delivery={delivery} />
        <h2 className="font-semibold">{delivery.eventType}</h2>
        {isTest(delivery) ? <span className="text-ink-2">Test</span> : null}
      </div>
      <div className="flex flex-wrap items-center gap-x-3">
        <Id id={delivery.id} />
        {delivery.messageId ? (
          <Link
            to="/messages/$id"
            params={{ id: delivery.messageId }}
            className="text-accent-ink underline"
          >
            View message
          </Link>
        ) : null}
      </div>
      <Acts webhook={webhook} delivery={delivery} attempt={attempt} />
      {attempts.length > 1 ? (
        <Select
          aria-label="Attempt"
          value={String(attempt?.attempt)}
          options={[...attempts].reverse().map((one) => ({
            value: String(one.attempt),
            label: `Attempt ${one.attempt} of ${attempts.length}: ${one.responseCode ?? 'no response'}`,
          }))}
          onChange={(event) => setChosen(Number(event.target.value))}
        />
      ) : null}
      <Views webhook={webhook} delivery={delivery} attempt={attempt} />
    </div>
  )
}

interface ViewProps {
  webhook: Webhook
  delivery: DeliveryInFull
  attempt: DeliveryAttemptInFull | null
}

function Views({ webhook, delivery, attempt }: ViewProps) {
  const nothing = <p className="text-ink-2">Nothing sent yet.</p>
  return (
    <Tabs
      label="Delivery"
      tabs={[
        {
          name: 'Request',
          content: attempt ? (
            <SentRequest attempt={attempt} body={delivery.requestBody} />
          ) : (
            nothing
          ),
        },
        { name: 'Response', content: attempt ? <Answer attempt={attempt} /> : nothing },
        { name: 'Attempts', content: <Attempts delivery={delivery} /> },
        {
          name: 'Verify',
          content:
            attempt?.request && delivery.requestBody !== null ? (
              <SignatureChecker
                key={attempt.attempt}
                secret={webhook.secret ?? ''}
                headers={headersText(attempt.request)}
                body={delivery.requestBody}
              />
            ) : (
              nothing
            ),
        },
      ]}
    />
  )
}

function Acts({ webhook, delivery, attempt }: ViewProps) {
  const path = `/v1/webhook/${webhook.id}/deliveries/${delivery.id}`
  const replay = useAct((key) =>
    request('POST /v1/webhook/{id}/deliveries/{deliveryId}/replay', {
      path: { id: webhook.id, deliveryId: delivery.id },
      key,
    }),
  )
  const blocked = !webhook.enabled && 'Enable the webhook first'
  useKeys({
    r: () => {
      if (!blocked) replay.run()
    },
  })
  const copyCurl = async () => {
    if (!attempt?.request || delivery.requestBody === null) return
    await copyText(curlOfDelivery(attempt.request, delivery.requestBody, webhook.signature))
    toast('Copied as curl')
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look={webhook.enabled ? 'filled' : 'plain'}
          onClick={() => replay.run()}
          busy={replay.isBusy && 'Sending…'}
          blocked={blocked}
        >
          Replay <kbd className="font-sans text-xs pointer-coarse:hidden">r</kbd>
        </Button>
        <Button
          onClick={() => void copyCurl()}
          blocked={delivery.requestBody === null && 'No request to copy'}
        >
          Copy as curl
        </Button>
        <ApiRequestButton request={{ method: 'GET', path }} />
      </div>
      {replay.error ? <ErrorNotice error={replay.error} isAnswer /> : null}
    </>
  )
}
