// Campaigns: which can send, which are in review, and which were returned.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Campaign } from '../../generated/types.gen'
import {
  allBrandsQuery,
  allNumbersQuery,
  type CampaignSearch,
  campaignListQuery,
} from '../api/registry-queries'
import { plural } from '../lib/format'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { Badge } from '../ui/display/Badge'
import { type Column, DataTable } from '../ui/display/DataTable'
import { ListCard } from '../ui/display/ListCard'
import { campaignState } from '../ui/display/states'
import { Time } from '../ui/display/Time'
import { ButtonLink } from '../ui/inputs/Button'
import { Empty, Page } from '../ui/layout/Page'
import { describeUsecase } from './campaigns/campaign-values'
import { describeCreation, useCampaignPrices } from './campaigns/prices'
import { ListFilters, NothingMatches, useListQuery } from './registry/ListFilters'

const STATUSES = ['DRAFT', 'PENDING', 'ACTIVE', 'SUSPENDED', 'ENDED'].map((status) => ({
  value: status,
  label: campaignState({ status, reviewNotes: [] }).word,
}))

export function Campaigns() {
  const filter = useSearch({ from: '/shell/campaigns' })
  const query = useListQuery<CampaignSearch>(filter)
  const list = useInfiniteQuery(campaignListQuery(query))
  const rows = list.data?.pages.flatMap(({ campaigns }) =>
    campaigns.toSorted((a, b) => rankOf(a) - rankOf(b)),
  )
  const isFiltered = Object.keys(filter).length > 0
  const hasRows = isFiltered || Boolean(rows?.length)
  return (
    <Page
      title="Campaigns"
      actions={
        <>
          <ApiRequestButton
            request={{ method: 'GET', path: '/v1/campaign/list', query: { ...query, limit: 100 } }}
          />
          {hasRows ? (
            <ButtonLink look="filled" to="/campaigns/new">
              Create campaign
            </ButtonLink>
          ) : null}
        </>
      }
    >
      <ListCard
        list={list}
        rows={rows}
        filters={
          hasRows ? (
            <ListFilters
              from="/campaigns"
              filter={filter}
              label="Name or brand"
              statuses={STATUSES}
            />
          ) : null
        }
        empty={isFiltered ? <NothingMatches to="/campaigns" /> : <NoCampaigns />}
      >
        {(campaigns) => <CampaignTable campaigns={campaigns} />}
      </ListCard>
    </Page>
  )
}

/** On each page, campaigns that need attention first, ended ones last, otherwise the newest first. */
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

function CampaignTable({ campaigns }: { campaigns: readonly Campaign[] }) {
  const { data: brands } = useQuery(allBrandsQuery)
  const { data: numbers } = useQuery(allNumbersQuery)
  const brandName = (id: string) => brands?.find((brand) => brand.id === id)?.displayName ?? ''
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
