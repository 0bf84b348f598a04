// The clock of the sandbox: moved forward by a press, and then told what came of it.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { AdvanceClockReply } from '../../../generated/types.gen'
import { call } from '../../api/call'
import { type LiveEvent, onLiveEvent } from '../../api/stream'
import { plural } from '../../lib/format'
import { useServiceNow } from '../../lib/service-time'
import { localWords } from '../../lib/time-words'
import { Button } from '../../ui/Button'
import { ErrorNotice, Notice } from '../../ui/Notice'

const HOUR = 3600
const JUMPS = [
  { label: '+1 min', seconds: 60 },
  { label: '+1 h', seconds: HOUR },
  { label: '+1 day', seconds: 24 * HOUR },
  { label: '+30 days', seconds: 30 * 24 * HOUR },
]

export function ClockBar() {
  const now = useServiceNow()
  const client = useQueryClient()
  const [story, setStory] = useState<{ now: string } | null>(null)
  const jump = useMutation({
    mutationFn: (seconds: number) =>
      call<AdvanceClockReply>('POST', '/sandbox/clock/advance', { body: { seconds } }),
    onSuccess: async (reply) => {
      setStory({ now: reply.now })
      await client.invalidateQueries()
    },
  })
  return (
    <div className="mb-4 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-ink-2">
          Service time <span className="font-medium text-ink">{localWords(now)}</span>
        </span>
        {JUMPS.map(({ label, seconds }) => (
          <Button
            key={label}
            onClick={() => jump.mutate(seconds)}
            busy={jump.isPending && jump.variables === seconds && '…'}
          >
            {label}
          </Button>
        ))}
      </div>
      {jump.error ? <ErrorNotice error={jump.error} isAnswer /> : null}
      {story ? <Story key={story.now} now={story.now} /> : null}
      <p className="text-sm text-ink-2">
        Time only moves forward. To start over: stop, delete ./data, npm start.
      </p>
    </div>
  )
}

/** What the stream has told since the jump. */
function Story({ now }: { now: string }) {
  const [counts, setCounts] = useState<Record<string, number>>({})
  useEffect(
    () =>
      onLiveEvent((event) => {
        const name = nameOf(event)
        if (name) setCounts((known) => ({ ...known, [name]: (known[name] ?? 0) + 1 }))
      }),
    [],
  )
  const told = Object.entries(counts).map(([name, count]) => plural(count, name))
  return (
    <Notice tone="go" title={`It is now ${localWords(new Date(now))}.`} isAnswer>
      {told.length === 0 ? 'Nothing was due so far.' : `Since then: ${told.join(', ')}.`}
    </Notice>
  )
}

function nameOf({ eventType, data }: LiveEvent): string | null {
  switch (eventType) {
    case 'message.status':
      return `message ${(data.status ?? data.message.status).toLowerCase()}`.replace(
        'message sent',
        'sent message',
      )
    case 'campaign.changed':
      return 'campaign change'
    case 'balance.changed':
      return data.change === 'current' ? null : 'charge or credit'
    default:
      return null
  }
}
