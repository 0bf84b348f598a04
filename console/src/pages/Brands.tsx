// Brands: the companies that send messages, and which of them need attention.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Brand } from '../../generated/types.gen'
import { allCampaignsQuery, type BrandSearch, brandListQuery } from '../api/registry-queries'
import { useSession } from '../api/session'
import { plural } from '../lib/format'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { Badge } from '../ui/display/Badge'
import { type Column, DataTable } from '../ui/display/DataTable'
import { ListCard } from '../ui/display/ListCard'
import { brandState } from '../ui/display/states'
import { Time } from '../ui/display/Time'
import { ButtonLink } from '../ui/inputs/Button'
import { Empty, Page } from '../ui/layout/Page'
import { ListFilters, NothingMatches, useListQuery } from './registry/ListFilters'

const STATUSES = ['DRAFT', 'PENDING', 'VERIFIED', 'UNVERIFIED', 'VETTED'].map((status) => ({
  value: status,
  label: brandState({ status }).word,
}))

export function Brands() {
  const filter = useSearch({ from: '/shell/brands' })
  const query = useListQuery<BrandSearch>(filter)
  const list = useInfiniteQuery(brandListQuery(query))
  const rows = list.data?.pages.flatMap(({ brands }) => brands.toSorted(byNeed))
  const isFiltered = Object.keys(filter).length > 0
  const hasRows = isFiltered || Boolean(rows?.length)
  return (
    <Page
      title="Brands"
      actions={
        <>
          <ApiRequestButton
            request={{ method: 'GET', path: '/v1/brand/list', query: { ...query, limit: 100 } }}
          />
          {hasRows ? (
            <ButtonLink look="filled" to="/brands/new">
              Create brand
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
            <ListFilters from="/brands" filter={filter} label="Name or EIN" statuses={STATUSES} />
          ) : null
        }
        empty={isFiltered ? <NothingMatches to="/brands" /> : <NoBrands />}
      >
        {(brands) => <BrandTable brands={brands} />}
      </ListCard>
    </Page>
  )
}

/** On each page, returned brands first, then the newest. */
function byNeed(a: Brand, b: Brand): number {
  return Number(b.status === 'UNVERIFIED') - Number(a.status === 'UNVERIFIED')
}

function NoBrands() {
  const { mode } = useSession()
  const isSandbox = mode === 'sandbox'
  return (
    <Empty
      title="No brands yet"
      actions={
        <>
          <ButtonLink look="filled" to="/brands/new">
            Create brand
          </ButtonLink>
          {isSandbox ? (
            <ButtonLink to="/brands/new" search={{ example: 'yes' }}>
              Fill with example data
            </ButtonLink>
          ) : null}
        </>
      }
    >
      A brand is the company that sends messages. Registration is free and takes{' '}
      {isSandbox ? '3 seconds here (days in production).' : 'a few days.'}
    </Empty>
  )
}

function BrandTable({ brands }: { brands: readonly Brand[] }) {
  const { data: campaigns } = useQuery(allCampaignsQuery)
  const countOf = (id: string) => campaigns?.filter(({ brandId }) => brandId === id).length
  const columns: Column<Brand>[] = [
    { name: 'name', head: 'Brand', isText: true, cell: nameOf },
    {
      name: 'state',
      head: 'Status',
      className: 'w-40',
      cell: (brand) => <Badge state={brandState(brand)} />,
    },
    { name: 'entity', head: 'Legal name', isText: true, cell: ({ entityName }) => entityName },
    { name: 'ein', head: 'EIN', className: 'w-32', cell: ({ ein }) => ein || '–' },
    {
      name: 'campaigns',
      head: 'Campaigns',
      className: 'w-28',
      align: 'right',
      cell: ({ id }) => countOf(id) ?? '–',
    },
    {
      name: 'created',
      head: 'Created',
      className: 'w-34',
      align: 'right',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
  return (
    <DataTable
      label="Brands"
      rows={brands}
      rowKey={({ id }) => id}
      columns={columns}
      linkOf={({ id }) => ({ to: '/brands/$id', params: { id } })}
      short={(brand) => (
        <>
          <span className="flex items-center gap-2">
            <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
              {nameOf(brand)}
            </span>
            <Badge state={brandState(brand)} />
          </span>
          <span className="truncate text-sm text-ink-2">
            {brand.ein || 'no EIN yet'}
            {campaigns ? ` · ${plural(countOf(brand.id) ?? 0, 'campaign')}` : ''}
          </span>
        </>
      )}
    />
  )
}

function nameOf({ displayName }: Brand): string {
  return displayName || 'Untitled'
}
