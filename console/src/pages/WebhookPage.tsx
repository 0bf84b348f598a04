// One webhook: whether it gets its events. Its status, metrics, and deliveries with the open one next to them, and
// its secrets. On a narrow screen, the delivery replaces the page.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '../../generated/types.gen'
import { webhookQuery } from '../api/webhook-queries'
import { webhookName } from '../lib/describe-webhook'
import { useRoomForPanel } from '../lib/use-wide'
import { ErrorNotice } from '../ui/feedback/Notice'
import { ButtonLink } from '../ui/inputs/Button'
import { Card, Page, Skeleton } from '../ui/layout/Page'
import { WebhookBadge } from './webhooks/badges'
import { Deliveries } from './webhooks/Deliveries'
import { DeliveryDetail } from './webhooks/DeliveryDetail'
import { DeliveryPanel } from './webhooks/DeliveryPanel'
import { FailingNotice } from './webhooks/FailingNotice'
import { Figures } from './webhooks/Figures'
import { OffNotice } from './webhooks/OffNotice'
import { type Recovered, RecoverProgress } from './webhooks/RecoverProgress'
import { Secrets } from './webhooks/Secrets'
import { Summary } from './webhooks/Summary'
import { WebhookActions } from './webhooks/WebhookActions'

export function WebhookPage() {
  const { id = '', deliveryId = null } = useParams({ strict: false })
  const hasRoom = useRoomForPanel()
  const { data, error, refetch } = useQuery(webhookQuery(id))
  if (!data || error) {
    return (
      <Page title="Webhook" actions={<ButtonLink to="/webhooks">All webhooks</ButtonLink>}>
        {error ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton rows={10} />
        )}
      </Page>
    )
  }
  const { webhook } = data
  if (deliveryId && !hasRoom) return <DeliveryAlone webhook={webhook} deliveryId={deliveryId} />
  return <WebhookView key={id} webhook={webhook} deliveryId={deliveryId} />
}

function DeliveryAlone({ webhook, deliveryId }: { webhook: Webhook; deliveryId: string }) {
  return (
    <Page
      title="Delivery"
      actions={
        <ButtonLink to="/webhooks/$id" params={{ id: webhook.id }} search={(now) => now}>
          All deliveries
        </ButtonLink>
      }
    >
      <Card>
        <DeliveryDetail key={deliveryId} webhook={webhook} deliveryId={deliveryId} />
      </Card>
    </Page>
  )
}

function WebhookView({ webhook, deliveryId }: { webhook: Webhook; deliveryId: string | null }) {
  const [recovered, setRecovered] = useState<Recovered | null>(null)
  return (
    <Page
      title={webhookName(webhook)}
      meta={<WebhookBadge webhook={webhook} />}
      actions={<WebhookActions webhook={webhook} isFilled={webhook.enabled && !deliveryId} />}
    >
      <div className="flex flex-col gap-4">
        <Summary webhook={webhook} />
        {webhook.enabled ? (
          <FailingNotice webhook={webhook} />
        ) : (
          <OffNotice webhook={webhook} onRecovered={setRecovered} />
        )}
        {recovered ? (
          <RecoverProgress
            webhookId={webhook.id}
            recovered={recovered}
            onClose={() => setRecovered(null)}
          />
        ) : null}
        <Figures webhookId={webhook.id} />
        <div
          className={deliveryId ? 'grid items-start gap-4 grid-cols-[minmax(0,1fr)_27.5rem]' : ''}
        >
          <Deliveries webhook={webhook} openId={deliveryId} onRecovered={setRecovered} />
          {deliveryId ? <DeliveryPanel webhook={webhook} deliveryId={deliveryId} /> : null}
        </div>
        <Secrets webhook={webhook} />
      </div>
    </Page>
  )
}
