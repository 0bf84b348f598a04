// A new brand, or one that can still be edited.

import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { brandQuery } from '../api/registry-queries'
import { describeBrand } from '../lib/describe-status'
import { ErrorNotice } from '../ui/feedback/Notice'
import { ButtonLink } from '../ui/inputs/Button'
import { Empty, Page, Skeleton } from '../ui/layout/Page'
import { BrandForm } from './brands/BrandForm'

export function BrandNew() {
  const { example } = useSearch({ from: '/shell/brands/new' })
  return <BrandForm brand={null} isExample={example !== undefined} />
}

export function BrandEdit() {
  const { id } = useParams({ from: '/shell/brands/$id/edit' })
  const { data, error, refetch } = useQuery(brandQuery(id))
  const brand = data?.brand
  if (brand && (brand.status === 'DRAFT' || brand.status === 'UNVERIFIED')) {
    return <BrandForm key={brand.id} brand={brand} />
  }
  return (
    <Page title={brand?.displayName || 'Brand'}>
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : !brand ? (
        <Skeleton rows={10} height={56} />
      ) : (
        <Empty
          title={describeBrand(brand.status)}
          actions={
            <ButtonLink look="filled" to="/brands/$id" params={{ id }}>
              Back to brand
            </ButtonLink>
          }
        >
          You can edit a brand only while it is a draft or after it has been returned.
        </Empty>
      )}
    </Page>
  )
}
