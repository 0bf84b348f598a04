// The brands and campaigns of an account, each with its status and a link.

import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { accountRecordsQuery } from '../../../api/operator-queries'
import { Badge } from '../../../ui/display/Badge'
import { brandState, campaignState, type State } from '../../../ui/display/states'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { Skeleton } from '../../../ui/layout/Page'

export function AccountRecords({ accountId }: { accountId: string }) {
  const { data, error, refetch } = useQuery(accountRecordsQuery(accountId))
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={4} />
  const { brands, campaigns } = data
  if (brands.length + campaigns.length === 0) {
    return <p className="text-ink-2">No brands or campaigns yet.</p>
  }
  return (
    <div className="flex flex-col gap-4">
      <Records
        title="Brands"
        records={brands.map((brand) => ({
          id: brand.id,
          name: brand.displayName || brand.entityName || brand.id,
          state: brandState(brand),
          link: { to: '/operator/reviews/brand/$id', params: { id: brand.id } },
        }))}
      />
      <Records
        title="Campaigns"
        records={campaigns.map((campaign) => ({
          id: campaign.id,
          name: campaign.displayName || campaign.id,
          state: campaignState(campaign),
          link: { to: '/operator/reviews/campaign/$id', params: { id: campaign.id } },
        }))}
      />
    </div>
  )
}

interface RecordLine {
  id: string
  name: string
  state: State
  link: LinkProps
}

function Records({ title, records }: { title: string; records: readonly RecordLine[] }) {
  if (records.length === 0) return null
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-sm font-medium text-ink-2">{title}</h3>
      <ul className="max-h-80 divide-y divide-line overflow-y-auto">
        {records.map(({ id, name, state, link }) => (
          <li key={id} className="flex min-h-10 items-center gap-2 pointer-coarse:min-h-11">
            <Link
              {...link}
              className="min-w-0 flex-1 truncate text-accent-ink underline"
              dir="auto"
            >
              {name}
            </Link>
            <Badge state={state} />
          </li>
        ))}
      </ul>
    </section>
  )
}
