// Brands: the companies that send messages, and which of them need attention.

import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Brand } from '../../generated/types.gen'
import { allBrandsQuery, allCampaignsQuery } from '../api/registry-queries'
import { useSession } from '../api/session'
import { plural } from '../lib/format'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { Badge } from '../ui/display/Badge'
import { type Column, DataTable } from '../ui/display/DataTable'
import { brandState } from '../ui/display/states'
import { Time } from '../ui/display/Time'
import { ErrorNotice } from '../ui/feedback/Notice'
import { ButtonLink } from '../ui/inputs/Button'
import { Empty, Page, Skeleton } from '../ui/layout/Page'
import { hasName, ListFilters, NothingMatches } from './registry/ListFilters'

const STATUSES = ['DRAFT', 'PENDING', 'VERIFIED', 'UNVERIFIED', 'VETTED']

export function Brands() {
  const filter = useSearch({ from: '/shell/brands' })
  const { data, error, refetch } = useQuery(allBrandsQuery)
  const shown = (data ?? [])
    .filter(({ status }) => !filter.status || status === filter.status)
    .filter(({ displayName, entityName, ein }) => hasName([displayName, entityName, ein], filter.q))
    .sort(byNeed)
  return (
    <Page
      title="Brands"
      actions={
        <>
          <ApiRequestButton
            request={{ method: 'GET', path: '/v1/brand/list', query: { limit: 100 } }}
          />
          {data?.length ? (
            <ButtonLink look="filled" to="/brands/new">
              Create brand
            </ButtonLink>
          ) : null}
        </>
      }
    >
      {data?.length || error ? (
        <ListFilters
          from="/brands"
          filter={filter}
          label="Name or EIN"
          statuses={STATUSES.map((status) => ({
            value: status,
            label: brandState({ status }).word,
          }))}
        />
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
          <NoBrands />
        ) : shown.length === 0 ? (
          <NothingMatches to="/brands" />
        ) : (
          <BrandTable brands={shown} />
        )}
      </div>
    </Page>
  )
}

/** Returned brands first, then the newest. */
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
