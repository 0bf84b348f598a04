// The webhooks of a campaign: where its events go, and whether they arrive.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Webhook } from '../../../generated/types.gen'
import { campaignWebhooksQuery } from '../../api/registry-queries'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { ButtonLink } from '../../ui/inputs/Button'
import { Empty } from '../../ui/layout/Page'
import { WebhookBadge } from '../webhooks/badges'

export function CampaignWebhooks() {
  const { id } = useParams({ from: '/shell/campaigns/$id' })
  const list = useQuery(campaignWebhooksQuery(id))
  const button = (
    <ButtonLink look="filled" to="/webhooks/new" search={{ campaign: id }}>
      Create webhook
    </ButtonLink>
  )
  return (
    <div className="flex flex-col gap-3">
      {list.data?.webhooks.length ? <div>{button}</div> : null}
      <ListCard
        list={list}
        rows={list.data?.webhooks}
        loading={{ rows: 3 }}
        empty={
          <Empty title="No webhooks yet" actions={button}>
            A webhook sends this campaign’s events, such as inbound messages, status changes, and
            opt-outs, to your URL.
          </Empty>
        }
      >
        {(webhooks) => <Table webhooks={webhooks} />}
      </ListCard>
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
