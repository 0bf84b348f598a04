// The progress of a recovery.

import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { request } from '../../api/request'
import { formatCount, plural } from '../../lib/format'
import { Progress } from '../../ui/feedback/Progress'

export interface Recovered {
  count: number
  since: string
  /** When it started. Later events are not part of it. */
  at: string
}

const READ_AGAIN_MS = 2_000
/** As many as one list holds. Above that, the number stands still until fewer are left. */
const MOST = 1_000

interface ProgressProps {
  webhookId: string
  recovered: Recovered
  onClose: () => void
}

export function RecoverProgress({ webhookId, recovered, onClose }: ProgressProps) {
  const { count, since, at } = recovered
  // No live event reports deliveries, so it polls while some are left.
  const { data: left = count } = useQuery({
    queryKey: ['deliveries', 'recovering', webhookId, since, at],
    queryFn: async ({ signal }) => {
      const { deliveries } = await request('GET /v1/webhook/{id}/deliveries', {
        path: { id: webhookId },
        query: { state: 'pending', limit: MOST },
        signal,
      })
      return deliveries.filter(({ createdAt }) => createdAt >= since && createdAt <= at).length
    },
    refetchInterval: ({ state }) => (state.data === 0 ? false : READ_AGAIN_MS),
  })
  const toCome = Math.min(left, count)
  return (
    <div
      role="status"
      className="flex items-start gap-3 rounded-md border border-line bg-surface px-3 py-2"
    >
      <div className="min-w-0 flex-1">
        {count === 0 ? (
          'Nothing to resend.'
        ) : toCome === 0 ? (
          `${plural(count, 'delivery', 'deliveries')} resent. None left.`
        ) : (
          <Progress
            label="Recovery"
            value={count - toCome}
            max={count}
            text={`${formatCount(count - toCome)} of ${formatCount(count)} resent, ${formatCount(toCome)} left, oldest first`}
          />
        )}
      </div>
      <button
        type="button"
        onClick={onClose}
        aria-label="Dismiss"
        className="inline-flex size-6 shrink-0 cursor-pointer items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink pointer-coarse:size-11"
      >
        <X size={14} aria-hidden="true" />
      </button>
    </div>
  )
}
