// Finds a record by URL: /console/go/ followed by any id or phone number leads to its page, or shows what was not
// found. Made for links from logs and tickets.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import { numbersQuery, webhooksQuery } from '../api/queries'
import { ApiFailure, request } from '../api/request'
import { find } from '../lib/find'
import { readPhone } from '../lib/format'
import { ErrorNotice } from '../ui/feedback/Notice'
import { ButtonLink } from '../ui/inputs/Button'
import { Empty, Page, Skeleton } from '../ui/layout/Page'

/** A delivery id does not name its webhook, so up to this many webhooks are searched. */
const ASKED_WEBHOOKS = 50

export function Go() {
  const { _splat: input = '' } = useParams({ from: '/shell/go/$' })
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['go', input],
    queryFn: async () => {
      const found = find(input)
      if (!found) return { path: null }
      if (found.path) return { path: found.path }
      return { path: input.startsWith('dlv_') ? await findDelivery(input) : await findPhone(input) }
    },
  })
  const findPhone = async (text: string): Promise<string> => {
    const phone = readPhone(text)
    const { numbers } = await client.ensureQueryData(numbersQuery)
    const isOurs = numbers.some(({ phoneNumber }) => phoneNumber === phone)
    const digits = phone.slice(1)
    return isOurs ? `/numbers/${digits}` : `/messages?number=${encodeURIComponent(phone)}`
  }
  const findDelivery = async (id: string): Promise<string | null> => {
    const { webhooks } = await client.ensureQueryData(webhooksQuery)
    for (const webhook of webhooks.slice(0, ASKED_WEBHOOKS)) {
      const path = { id: webhook.id, deliveryId: id }
      const response = request('GET /v1/webhook/{id}/deliveries/{deliveryId}', { path })
      const isThere = await response.then(() => true, isOtherThanMissing)
      if (isThere) return `/webhooks/${webhook.id}/deliveries/${id}`
    }
    return null
  }
  if (data?.path) return <Navigate to={data.path} replace />
  return (
    <Page title="Find">
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Empty
          title="Nothing found"
          actions={
            <ButtonLink look="filled" to="/messages">
              View messages
            </ButtonLink>
          }
        >
          “<span className="wrap-anywhere">{input}</span>” is not a phone number, or the ID of a
          brand, campaign, message, webhook, or delivery in this account.
        </Empty>
      ) : (
        <Skeleton rows={3} />
      )}
    </Page>
  )
}

function isOtherThanMissing(failure: unknown): false {
  if (failure instanceof ApiFailure && failure.status === 404) return false
  throw failure
}
