// The test message: its status and timeline, next to its phone.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { messageQuery } from '../../api/queries'
import { formatPhone } from '../../lib/format'
import { Badge } from '../../ui/display/Badge'
import { messageState } from '../../ui/display/states'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Skeleton } from '../../ui/layout/Page'
import { Timeline } from '../messages/Timeline'

export function Watched({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(messageQuery(id))
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={3} height={28} />
  const { message } = data
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2">
        <Badge state={messageState(message)} />
        to {formatPhone(message.to)}
        <Link to="/messages/$id" params={{ id }} className="ml-auto text-accent-ink underline">
          Open message
        </Link>
      </p>
      <Timeline message={message} />
    </div>
  )
}
