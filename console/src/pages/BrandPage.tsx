// One brand: whether it is verified and, if not, what must change.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { Brand } from '../../generated/types.gen'
import { brandQuery, campaignListQuery } from '../api/registry-queries'
import { useSession } from '../api/session'
import { formatPhone, plural } from '../lib/format'
import { reviewPace } from '../lib/sandbox'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { Badge } from '../ui/display/Badge'
import { ListRows } from '../ui/display/ListCard'
import { brandState, campaignState } from '../ui/display/states'
import { Time } from '../ui/display/Time'
import { ErrorNotice, Notice } from '../ui/feedback/Notice'
import { ButtonLink } from '../ui/inputs/Button'
import { Id } from '../ui/inputs/Copy'
import { Card, Page, Skeleton } from '../ui/layout/Page'
import { BRAND_LABELS } from './brands/brand-values'
import { Facts } from './registry/Facts'
import { NoteList } from './registry/NoteList'
import { Outside } from './registry/Outside'

export function BrandPage() {
  const { id } = useParams({ from: '/shell/brands/$id' })
  const { data, error, refetch } = useQuery(brandQuery(id))
  if (data) return <BrandView brand={data.brand} />
  return (
    <Page title="Brand">
      {error ? (
        <>
          <ErrorNotice error={error} onRetry={() => void refetch()} />
          <div className="mt-3">
            <ButtonLink to="/brands">All brands</ButtonLink>
          </div>
        </>
      ) : (
        <Skeleton rows={10} />
      )}
    </Page>
  )
}

function BrandView({ brand }: { brand: Brand }) {
  return (
    <Page
      title={brand.displayName || 'Untitled brand'}
      meta={<Badge state={brandState(brand)} />}
      actions={
        <>
          <ApiRequestButton request={{ method: 'GET', path: `/v1/brand/${brand.id}` }} />
          <NextStep brand={brand} />
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Id id={brand.id} />
        <StateNotice brand={brand} />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Card title="Registration">
            <RegistryFacts brand={brand} />
          </Card>
          <Card title="Campaigns">
            <CampaignsOf brand={brand} />
          </Card>
        </div>
      </div>
    </Page>
  )
}

function NextStep({ brand: { id, status } }: { brand: Brand }) {
  if (status === 'DRAFT' || status === 'UNVERIFIED') {
    return (
      <ButtonLink look="filled" to="/brands/$id/edit" params={{ id }}>
        {status === 'DRAFT' ? 'Continue editing' : 'Fix and resubmit'}
      </ButtonLink>
    )
  }
  return (
    <ButtonLink look="filled" to="/campaigns/new" search={{ brand: id }}>
      Create campaign
    </ButtonLink>
  )
}

function StateNotice({ brand }: { brand: Brand }) {
  const session = useSession()
  switch (brand.status) {
    case 'DRAFT':
      return <Notice tone="go" title="Draft. Submit it for review. Review is free." />
    case 'PENDING':
      return (
        <Notice tone="go" title="In review.">
          {reviewPace(session)} You can already create campaigns. They are reviewed once the brand
          is verified.
        </Notice>
      )
    case 'UNVERIFIED':
      return (
        <Notice
          tone="warn"
          title={`Returned by the reviewer with ${plural(brand.reviewNotes.length, 'note')}. Fix and resubmit free of charge.`}
        >
          <NoteList notes={brand.reviewNotes} labels={BRAND_LABELS} />
        </Notice>
      )
    case 'VERIFIED':
      return (
        <p className="max-w-prose text-ink-2">
          Verified, not vetted. Vetting assigns the brand a trust score. A higher score raises the
          limits of the brand’s campaigns. For example, T-Mobile’s daily cap rises from 2,000 to
          between 10,000 and 200,000. To get vetted, ask your operator.
        </p>
      )
    default:
      return null
  }
}

function RegistryFacts({ brand }: { brand: Brand }) {
  const { address, contact } = brand
  const place = [address.street, address.city, `${address.state} ${address.postalCode}`.trim()]
  const person = [`${contact.firstName} ${contact.lastName}`.trim(), contact.email]
  const phone = contact.phone ? [formatPhone(contact.phone)] : []
  return (
    <Facts
      facts={[
        ['Legal name', brand.entityName],
        ['EIN', brand.ein],
        ['Display name', brand.displayName],
        ['Company type', brand.entityType],
        ['Trust score', brand.trustScore === undefined ? '' : `${brand.trustScore} of 100`],
        ['Website', <Outside key="website" address={brand.website} />],
        ['Privacy policy', <Outside key="privacy" address={brand.privacyLink ?? ''} />],
        ...(brand.termsLink
          ? ([['Terms and conditions', <Outside key="terms" address={brand.termsLink} />]] as const)
          : []),
        ...(brand.vertical ? ([['Industry', brand.vertical]] as const) : []),
        ['Address', lines([...place, address.country])],
        ['Contact', lines([...person, ...phone])],
        ['Created', <Time key="created" at={brand.createdAt} />],
        ['Updated', <Time key="changed" at={brand.updatedAt} />],
      ]}
    />
  )
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}

function CampaignsOf({ brand }: { brand: Brand }) {
  const list = useInfiniteQuery(campaignListQuery({ brand: brand.id }))
  return (
    <ListRows
      list={list}
      rows={list.data?.pages.flatMap(({ campaigns }) => campaigns)}
      loading={{ rows: 3 }}
      empty={
        <p className="text-ink-2">
          No campaigns yet. A campaign describes who you text and why.
          {brand.status === 'DRAFT' ? ' Submit the brand before you create a campaign.' : ''}
        </p>
      }
    >
      {(campaigns) => (
        <ul>
          {campaigns.map((campaign) => (
            <li
              key={campaign.id}
              className="relative flex min-h-10 items-center gap-2 border-b border-line last:border-0 hover:bg-hover pointer-coarse:min-h-11"
            >
              <Link
                to="/campaigns/$id"
                params={{ id: campaign.id }}
                dir="auto"
                className="min-w-0 flex-1 truncate after:absolute after:inset-0"
              >
                {campaign.displayName}
              </Link>
              <Badge state={campaignState(campaign)} />
            </li>
          ))}
        </ul>
      )}
    </ListRows>
  )
}
