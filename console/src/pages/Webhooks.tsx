// Webhooks: whether endpoints get their events. One list for all campaigns, with failing ones marked.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Webhook } from '../../generated/types.gen'
import { campaignsQuery } from '../api/queries'
import { webhookListQuery } from '../api/webhook-queries'
import { webhookName } from '../lib/describe-webhook'
import { plural } from '../lib/format'
import { useCampaignNames } from '../lib/use-campaign-names'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { type Column, DataTable } from '../ui/display/DataTable'
import { ListCard } from '../ui/display/ListCard'
import { ButtonLink } from '../ui/inputs/Button'
import { Select } from '../ui/inputs/Field'
import { Empty, Page } from '../ui/layout/Page'
import { WebhookBadge } from './webhooks/badges'
import { LocalHint } from './webhooks/LocalHint'

export function Webhooks() {
  const { campaign } = useSearch({ from: '/shell/webhooks' })
  const list = useInfiniteQuery(webhookListQuery(campaign))
  const { nameOf: campaignName } = useCampaignNames()
  const path = campaign ? `/v1/campaign/${campaign}/webhooks` : '/v1/webhook/list'
  return (
    <Page
      title="Webhooks"
      actions={
        <>
          <ApiRequestButton request={{ method: 'GET', path }} />
          <ButtonLink look="filled" to="/webhooks/new" search={campaign ? { campaign } : {}}>
            Create webhook
          </ButtonLink>
        </>
      }
    >
      <ListCard
        list={list}
        rows={list.data?.pages.flatMap(({ webhooks }) => webhooks)}
        filters={<CampaignFilter campaign={campaign} />}
        empty={<Nothing campaign={campaign} />}
      >
        {(webhooks) => (
          <DataTable
            label="Webhooks"
            rows={webhooks}
            rowKey={({ id }) => id}
            columns={columnsOf(campaignName)}
            linkOf={({ id }) => ({ to: '/webhooks/$id', params: { id } })}
            short={(webhook) => <ShortRow webhook={webhook} campaignName={campaignName} />}
          />
        )}
      </ListCard>
    </Page>
  )
}

function CampaignFilter({ campaign }: { campaign: string | undefined }) {
  const navigate = useNavigate({ from: '/webhooks' })
  const { data } = useQuery(campaignsQuery)
  const campaigns = data?.campaigns ?? []
  if (campaigns.length < 2 && !campaign) return null
  const options = campaigns.map(({ id, displayName }) => ({ value: id, label: displayName || id }))
  return (
    <search className="mb-3 flex">
      <div className="w-full sm:w-64">
        <Select
          aria-label="Campaign"
          value={campaign ?? ''}
          options={[{ value: '', label: 'All campaigns' }, ...options]}
          onChange={({ target: { value } }) =>
            void navigate({ search: value ? { campaign: value } : {}, replace: true })
          }
        />
      </div>
    </search>
  )
}

type CampaignName = (id: string) => string

function columnsOf(campaignName: CampaignName): Column<Webhook>[] {
  return [
    {
      name: 'state',
      head: 'Status',
      className: 'w-52',
      cell: (webhook) => <WebhookBadge webhook={webhook} />,
    },
    {
      name: 'address',
      head: 'URL',
      isText: true,
      cell: ({ name, url }) => (
        <>
          {name ? <span className="mr-2 font-medium">{name}</span> : null}
          <span className="text-ink-2">{url}</span>
        </>
      ),
    },
    {
      name: 'campaign',
      head: 'Campaign',
      isText: true,
      className: 'w-60',
      cell: ({ campaignId }) => campaignName(campaignId),
    },
    {
      name: 'events',
      head: 'Events',
      isText: true,
      className: 'w-56',
      cell: ({ eventTypes }) => (
        <span className="text-ink-2" title={eventTypes.join('\n')}>
          {describeEvents(eventTypes)}
        </span>
      ),
    },
  ]
}

function describeEvents(types: readonly string[]): string {
  const [first, ...rest] = types
  return rest.length === 0 ? `${first}` : `${first} and ${rest.length} more`
}

function ShortRow({ webhook, campaignName }: { webhook: Webhook; campaignName: CampaignName }) {
  return (
    <>
      <span className="flex items-center gap-2">
        <WebhookBadge webhook={webhook} />
        <span className="min-w-0 truncate font-medium">{webhookName(webhook)}</span>
      </span>
      <span className="truncate text-sm text-ink-2">
        {campaignName(webhook.campaignId)} · {plural(webhook.eventTypes.length, 'event type')}
      </span>
    </>
  )
}

function Nothing({ campaign }: { campaign: string | undefined }) {
  return (
    <Empty
      title={campaign ? 'No webhooks for this campaign' : 'No webhooks yet'}
      actions={
        campaign ? (
          <ButtonLink to="/webhooks" search={{}}>
            Show all campaigns
          </ButtonLink>
        ) : null
      }
    >
      <p>Get notified when a message arrives or changes status, or when someone opts out.</p>
      <LocalHint />
    </Empty>
  )
}
