// How far a recovery has come, told where it was begun.

import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import type { ListDeliveriesReply } from '../../../generated/types.gen'
import { call } from '../../api/call'
import { formatCount, plural } from '../../lib/format'
import { Progress } from '../../ui/Progress'

export interface Recovered {
  count: number
  since: string
  /** When it was begun: what happens later is not part of it. */
  at: string
}

const READ_AGAIN_MS = 2_000
/** As many as a list can hold; above that the figure stands still until fewer are left. */
const MOST = 1_000

interface ProgressProps {
  webhookId: string
  recovered: Recovered
  onClose: () => void
}

export function RecoverProgress({ webhookId, recovered, onClose }: ProgressProps) {
  const { count, since, at } = recovered
  // The stream has no event for deliveries: read again as long as some are to come.
  const { data: left = count } = useQuery({
    queryKey: ['deliveries', 'recovering', webhookId, since, at],
    queryFn: async ({ signal }) => {
      const path = `/v1/webhook/${webhookId}/deliveries`
      const query = { state: 'pending', limit: MOST }
      const { deliveries } = await call<ListDeliveriesReply>('GET', path, { query, signal })
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
          'There was nothing to send again.'
        ) : toCome === 0 ? (
          `${plural(count, 'delivery was', 'deliveries were')} sent again; none is left to come.`
        ) : (
          <Progress
            label="Sent again"
            value={count - toCome}
            max={count}
            text={`${formatCount(count - toCome)} of ${formatCount(count)} done, ${formatCount(toCome)} to come, oldest first`}
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
