// What the account uses of its quotas. The operator sets them.

import { useQuery } from '@tanstack/react-query'
import { quotasQuery } from '../../api/queries'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { QuotaMeters } from '../../ui/display/QuotaMeters'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Card, Skeleton } from '../../ui/layout/Page'

export function QuotaCard() {
  const { data, error, refetch } = useQuery(quotasQuery)
  return (
    <Card title="Quotas" className="mt-4 max-w-180">
      {data ? (
        <QuotaMeters quotas={data.quotas} />
      ) : error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton rows={4} height={56} />
      )}
      <div className="mt-4 flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-ink-2">
          Set by your operator. Ask for a higher limit if you need one.
        </p>
        <ApiRequestButton request={{ method: 'GET', path: '/v1/account/quotas' }} />
      </div>
    </Card>
  )
}
