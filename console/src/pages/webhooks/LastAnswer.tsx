// The endpoint's last response, among the deliveries that were read.

import { useInfiniteQuery } from '@tanstack/react-query'
import { deliveriesQuery } from '../../api/webhook-queries'
import { Time } from '../../ui/display/Time'

export function LastAnswer({ webhookId }: { webhookId: string }) {
  const { data } = useInfiniteQuery(deliveriesQuery(webhookId, undefined))
  const attempts = data?.pages
    .flatMap(({ deliveries }) => deliveries)
    .flatMap((one) => one.attempts)
  const last = attempts?.reduce((a, b) => (b.at > a.at ? b : a), attempts[0]!)
  if (!last) return null
  return (
    <p>
      Last response: {last.responseCode ?? 'none'}, <Time at={last.at} form="when" />.
      {last.responseCode === null && last.error ? ` ${last.error}` : ''}
    </p>
  )
}
