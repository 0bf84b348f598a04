// The message was accepted: its current status, and where to go next.

import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { messageQuery } from '../../api/queries'
import { formatPhone } from '../../lib/format'
import { Badge } from '../../ui/display/Badge'
import { messageState } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Card } from '../../ui/layout/Page'

interface Sent {
  id: string
  to: string
  scheduledAt: string | null
}

export function Done({
  sent: { id, to, scheduledAt },
  onAgain,
}: {
  sent: Sent
  onAgain: () => void
}) {
  const { data } = useQuery(messageQuery(id))
  const watch = useRef<HTMLAnchorElement>(null)
  useEffect(() => watch.current?.focus(), [])
  return (
    <Card className="max-w-180">
      <div className="flex flex-col gap-3">
        <p role="status" className="text-lg font-semibold">
          {scheduledAt ? 'Scheduled.' : 'Queued.'}
        </p>
        <p className="flex flex-wrap items-center gap-2 text-ink-2">
          To {formatPhone(to)}
          {scheduledAt ? (
            <span>
              due <Time at={scheduledAt} form="when" />
            </span>
          ) : null}
          {data ? <Badge state={messageState(data.message)} /> : null}
        </p>
        <div className="flex flex-wrap gap-2">
          <ButtonLink look="filled" ref={watch} to="/messages/$id" params={{ id }}>
            Track message
          </ButtonLink>
          <Button onClick={onAgain}>Send another message</Button>
        </div>
      </div>
    </Card>
  )
}
