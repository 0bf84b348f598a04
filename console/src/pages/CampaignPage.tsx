// One campaign: whether it can send, how fast, and what the reviewer wrote. Its header is above every tab.

import {
  type InfiniteData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { OctagonX, Pencil } from 'lucide-react'
import { useState } from 'react'
import type { Campaign, ListCampaignsReply } from '../../generated/types.gen'
import {
  campaignNumbersQuery,
  campaignQuery,
  campaignWebhooksQuery,
  optoutsQuery,
} from '../api/registry-queries'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { Badge } from '../ui/display/Badge'
import { campaignState } from '../ui/display/states'
import { ErrorNotice } from '../ui/feedback/Notice'
import { ButtonLink } from '../ui/inputs/Button'
import { Id } from '../ui/inputs/Copy'
import { Menu, type MenuItem } from '../ui/inputs/Menu'
import { Page, Skeleton } from '../ui/layout/Page'
import { TabLinks } from '../ui/layout/TabLinks'
import { EndCampaign } from './campaigns/EndCampaign'
import { StateNotice } from './campaigns/StateNotice'

export function CampaignPage() {
  const { id } = useParams({ from: '/shell/campaigns/$id' })
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    ...campaignQuery(id),
    placeholderData: () => {
      const listed = client
        .getQueriesData<InfiniteData<ListCampaignsReply>>({ queryKey: ['campaigns', 'list'] })
        .flatMap(([, data]) => data?.pages ?? [])
        .flatMap(({ campaigns }) => campaigns)
        .find((campaign) => campaign.id === id)
      return listed && { campaign: listed }
    },
  })
  if (data) return <CampaignView campaign={data.campaign} />
  return (
    <Page title="Campaign">
      {error ? (
        <>
          <ErrorNotice error={error} onRetry={() => void refetch()} />
          <div className="mt-3">
            <ButtonLink to="/campaigns">All campaigns</ButtonLink>
          </div>
        </>
      ) : (
        <Skeleton rows={10} />
      )}
    </Page>
  )
}

function CampaignView({ campaign }: { campaign: Campaign }) {
  return (
    <Page
      title={campaign.displayName}
      meta={<Badge state={campaignState(campaign)} />}
      actions={<Actions campaign={campaign} />}
    >
      <div className="mb-3 flex flex-col gap-3">
        <Id id={campaign.id} />
        <StateNotice campaign={campaign} />
      </div>
      <Tabs id={campaign.id} />
      <Outlet />
    </Page>
  )
}

function Actions({ campaign: { id, status, reviewNotes, displayName } }: { campaign: Campaign }) {
  const navigate = useNavigate()
  const [isEnding, setEnding] = useState(false)
  // Each tab has its own primary action.
  const look = useLocation().pathname.endsWith(id) ? 'filled' : 'plain'
  const items: MenuItem[] = []
  if (status === 'DRAFT') {
    const edit = () => void navigate({ to: '/campaigns/$id/edit', params: { id } })
    items.push({ label: 'Edit', icon: Pencil, onSelect: edit })
  }
  if (status !== 'ENDED') {
    const end = () => setEnding(true)
    items.push({ label: 'End campaign…', icon: OctagonX, isDanger: true, onSelect: end })
  }
  return (
    <>
      <ApiRequestButton request={{ method: 'GET', path: `/v1/campaign/${id}` }} />
      {status === 'DRAFT' ? (
        <ButtonLink look={look} to="/campaigns/$id/edit" params={{ id }}>
          {reviewNotes.length > 0 ? 'Fix and resubmit' : 'Continue editing'}
        </ButtonLink>
      ) : status === 'ACTIVE' ? (
        <ButtonLink look={look} to="/send" search={{ campaign: id }}>
          Send message
        </ButtonLink>
      ) : null}
      {items.length > 0 ? <Menu label="More actions" items={items} /> : null}
      {isEnding ? (
        <EndCampaign id={id} name={displayName} onClose={() => setEnding(false)} />
      ) : null}
    </>
  )
}

function Tabs({ id }: { id: string }) {
  const { data: numbers } = useQuery(campaignNumbersQuery(id))
  const { data: webhooks } = useQuery(campaignWebhooksQuery(id))
  const optouts = useInfiniteQuery(optoutsQuery(id))
  // More than one page is not counted.
  const optoutCount = optouts.hasNextPage
    ? undefined
    : optouts.data?.pages.flatMap((page) => page.optouts).length
  const params = { id }
  return (
    <TabLinks
      label="Campaign"
      tabs={[
        { label: 'Overview', link: { to: '/campaigns/$id', params } },
        {
          label: 'Numbers',
          link: { to: '/campaigns/$id/numbers', params },
          count: numbers?.numbers.length,
        },
        { label: 'Keywords', link: { to: '/campaigns/$id/keywords', params } },
        {
          label: 'Opt-outs',
          link: { to: '/campaigns/$id/optouts', params },
          count: optoutCount,
        },
        {
          label: 'Webhooks',
          link: { to: '/campaigns/$id/webhooks', params },
          count: webhooks?.webhooks.length,
        },
      ]}
    />
  )
}
