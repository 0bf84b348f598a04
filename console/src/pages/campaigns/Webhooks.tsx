// The webhooks of a campaign: where its events go, and whether they arrive.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Webhook } from '../../../generated/types.gen'
import { campaignWebhooksQuery } from '../../api/registry-queries'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { ButtonLink } from '../../ui/inputs/Button'
import { Empty, Skeleton } from '../../ui/layout/Page'
import { WebhookBadge } from '../webhooks/badges'

export function CampaignWebhooks() {
  const { id } = useParams({ from: '/shell/campaigns/$id' })
  const { data, error, refetch } = useQuery(campaignWebhooksQuery(id))
  const button = (
    <ButtonLink look="filled" to="/webhooks/new" search={{ campaign: id }}>
      Create webhook
    </ButtonLink>
  )
  return (
    <div className="flex flex-col gap-3">
      {data && data.webhooks.length > 0 ? <div>{button}</div> : null}
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        {error ? (
          <div className="p-4">
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          </div>
        ) : !data ? (
          <div className="px-3">
            <Skeleton rows={3} />
          </div>
        ) : data.webhooks.length === 0 ? (
          <Empty title="No webhooks yet" actions={button}>
            A webhook receives this campaign’s events, such as inbound messages, delivery statuses,
            and opt-outs.
          </Empty>
        ) : (
          <Table webhooks={data.webhooks} />
        )}
      </div>
    </div>
  )
}

function Table({ webhooks }: { webhooks: readonly Webhook[] }) {
  const columns: Column<Webhook>[] = [
    { name: 'name', head: 'Webhook', isText: true, cell: ({ name, url }) => name ?? url },
    {
      name: 'state',
      head: 'Status',
      className: 'w-32',
      cell: (webhook) => <WebhookBadge webhook={webhook} />,
    },
    { name: 'url', head: 'URL', isText: true, cell: ({ url }) => url },
    {
      name: 'events',
      head: 'Events',
      isText: true,
      cell: ({ eventTypes }) => eventTypes.join(', '),
    },
  ]
  return (
    <DataTable
      label="Webhooks"
      rows={webhooks}
      rowKey={({ id }) => id}
      columns={columns}
      linkOf={({ id }) => ({ to: '/webhooks/$id', params: { id } })}
      short={(webhook) => (
        <>
          <span className="flex items-center gap-2">
            <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
              {webhook.name ?? webhook.url}
            </span>
            <WebhookBadge webhook={webhook} />
          </span>
          <span className="truncate text-sm text-ink-2">{webhook.url}</span>
        </>
      )}
    />
  )
}
