// Campaigns: which can send, which are in review, and which were returned.

import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Campaign } from '../../generated/types.gen'
import { allBrandsQuery, allCampaignsQuery, allNumbersQuery } from '../api/registry-queries'
import { plural } from '../lib/format'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { Badge } from '../ui/display/Badge'
import { type Column, DataTable } from '../ui/display/DataTable'
import { campaignState } from '../ui/display/states'
import { Time } from '../ui/display/Time'
import { ErrorNotice } from '../ui/feedback/Notice'
import { ButtonLink } from '../ui/inputs/Button'
import { Empty, Page, Skeleton } from '../ui/layout/Page'
import { describeUsecase } from './campaigns/campaign-values'
import { describeCreation, useCampaignPrices } from './campaigns/prices'
import { hasName, ListFilters, NothingMatches } from './registry/ListFilters'

const STATUSES = ['DRAFT', 'PENDING', 'ACTIVE', 'SUSPENDED', 'ENDED']
const LABELS = STATUSES.map((status) => ({
  value: status,
  label: campaignState({ status, reviewNotes: [] }).word,
}))

export function Campaigns() {
  const filter = useSearch({ from: '/shell/campaigns' })
  const { data, error, refetch } = useQuery(allCampaignsQuery)
  const brands = useQuery(allBrandsQuery)
  const nameOf = (id: string) => brands.data?.find((brand) => brand.id === id)?.displayName ?? ''
  const shown = (data ?? [])
    .filter(({ status }) => !filter.status || status === filter.status)
    .filter(({ displayName, brandId, id }) => hasName([displayName, nameOf(brandId), id], filter.q))
    .sort((a, b) => rankOf(a) - rankOf(b))
  return (
    <Page
      title="Campaigns"
      actions={
        <>
          <ApiRequestButton
            request={{ method: 'GET', path: '/v1/campaign/list', query: { limit: 100 } }}
          />
          {data?.length ? (
            <ButtonLink look="filled" to="/campaigns/new">
              Create campaign
            </ButtonLink>
          ) : null}
        </>
      }
    >
      {data?.length || error ? (
        <ListFilters from="/campaigns" filter={filter} label="Name or brand" statuses={LABELS} />
      ) : null}
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        {error ? (
          <div className="p-4">
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          </div>
        ) : !data ? (
          <div className="px-3">
            <Skeleton rows={6} />
          </div>
        ) : data.length === 0 ? (
          <NoCampaigns />
        ) : shown.length === 0 ? (
          <NothingMatches to="/campaigns" />
        ) : (
          <CampaignTable campaigns={shown} brandName={nameOf} />
        )}
      </div>
    </Page>
  )
}

/** Campaigns that need attention first, ended ones last, otherwise the newest first. */
function rankOf({ status, reviewNotes }: Campaign): number {
  if (status === 'DRAFT' && reviewNotes.length > 0) return 0
  return status === 'SUSPENDED' ? 1 : status === 'ENDED' ? 3 : 2
}

function NoCampaigns() {
  const prices = useCampaignPrices()
  return (
    <Empty
      title="No campaigns yet"
      actions={
        <ButtonLink look="filled" to="/campaigns/new">
          Create campaign{describeCreation(prices)}
        </ButtonLink>
      }
    >
      A campaign describes who you text and why. It is reviewed before carriers accept its messages.
    </Empty>
  )
}

interface TableProps {
  campaigns: readonly Campaign[]
  brandName: (id: string) => string
}

function CampaignTable({ campaigns, brandName }: TableProps) {
  const { data: numbers } = useQuery(allNumbersQuery)
  const countOf = (id: string) => numbers?.filter(({ campaign }) => campaign === id).length
  const columns: Column<Campaign>[] = [
    { name: 'name', head: 'Campaign', isText: true, cell: ({ displayName }) => displayName },
    {
      name: 'state',
      head: 'Status',
      className: 'w-44',
      cell: (campaign) => <Badge state={campaignState(campaign)} />,
    },
    { name: 'brand', head: 'Brand', isText: true, cell: ({ brandId }) => brandName(brandId) },
    { name: 'usecase', head: 'Use case', isText: true, cell: describeUsecase },
    {
      name: 'numbers',
      head: 'Numbers',
      className: 'w-22',
      align: 'right',
      cell: ({ id }) => countOf(id) ?? '–',
    },
    {
      name: 'renewal',
      head: 'Renews',
      className: 'w-34',
      align: 'right',
      cell: ({ renewsAt, status }) =>
        renewsAt && status !== 'ENDED' ? <Time at={renewsAt} /> : '–',
    },
  ]
  return (
    <DataTable
      label="Campaigns"
      rows={campaigns}
      rowKey={({ id }) => id}
      columns={columns}
      linkOf={({ id }) => ({ to: '/campaigns/$id', params: { id } })}
      short={(campaign) => (
        <>
          <span className="flex items-center gap-2">
            <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
              {campaign.displayName}
            </span>
            <Badge state={campaignState(campaign)} />
          </span>
          <span className="truncate text-sm text-ink-2">
            {brandName(campaign.brandId)}
            {numbers ? ` · ${plural(countOf(campaign.id) ?? 0, 'number')}` : ''}
          </span>
        </>
      )}
    />
  )
}
