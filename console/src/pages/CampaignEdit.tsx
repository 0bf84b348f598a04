// A new campaign, or a draft, including one that a reviewer returned.

import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { allBrandsQuery, campaignQuery } from '../api/registry-queries'
import { describeCampaign } from '../lib/describe-status'
import { ErrorNotice } from '../ui/feedback/Notice'
import { ButtonLink } from '../ui/inputs/Button'
import { Empty, Page, Skeleton } from '../ui/layout/Page'
import { CampaignForm } from './campaigns/CampaignForm'

export function CampaignNew() {
  const { brand: requested } = useSearch({ from: '/shell/campaigns/new' })
  const { data, error, refetch } = useQuery(allBrandsQuery)
  const brands = data?.filter(({ status }) => status !== 'DRAFT')
  if (brands && brands.length > 0) {
    const first =
      brands.find(({ id }) => id === requested) ?? (brands.length === 1 ? brands[0] : null)
    return <CampaignForm campaign={null} brands={brands} brandId={first?.id ?? ''} />
  }
  return (
    <Page title="New campaign">
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : !brands ? (
        <Skeleton rows={10} height={56} />
      ) : (
        <Empty
          title="A campaign belongs to a brand"
          actions={
            <ButtonLink look="filled" to="/brands">
              {data?.length ? 'View brands' : 'Create brand'}
            </ButtonLink>
          }
        >
          Create and submit your company’s brand first. It is free.
        </Empty>
      )}
    </Page>
  )
}

export function CampaignEdit() {
  const { id } = useParams({ from: '/shell/campaigns/$id/edit' })
  const { data, error, refetch } = useQuery(campaignQuery(id))
  const brands = useQuery(allBrandsQuery)
  const campaign = data?.campaign
  if (campaign?.status === 'DRAFT' && brands.data) {
    const options = brands.data.filter(({ status }) => status !== 'DRAFT')
    return <CampaignForm key={id} campaign={campaign} brands={options} brandId={campaign.brandId} />
  }
  const failure = error ?? brands.error
  return (
    <Page title={campaign?.displayName ?? 'Campaign'}>
      {failure ? (
        <ErrorNotice
          error={failure}
          onRetry={() => {
            void refetch()
            void brands.refetch()
          }}
        />
      ) : !campaign || campaign.status === 'DRAFT' ? (
        <Skeleton rows={10} height={56} />
      ) : (
        <Empty
          title={describeCampaign(campaign.status)}
          actions={
            <>
              <ButtonLink look="filled" to="/campaigns/$id" params={{ id }}>
                Back to campaign
              </ButtonLink>
              <ButtonLink to="/campaigns/$id/keywords" params={{ id }}>
                Edit keywords and replies
              </ButtonLink>
            </>
          }
        >
          You can edit a campaign only while it is a draft. Keywords and replies can be changed at
          any time.
        </Empty>
      )}
    </Page>
  )
}
