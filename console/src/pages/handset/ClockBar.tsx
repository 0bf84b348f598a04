// The sandbox clock: moves forward by a fixed amount, or to the next scheduled event, and then shows what
// happened.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refetchAll } from '../../api/changes'
import { momentsQuery } from '../../api/clock-queries'
import { request } from '../../api/request'
import { useSession } from '../../api/session'
import { formatDuration, formatLocal } from '../../lib/format-time'
import { serviceNow, useServiceNow } from '../../lib/service-time'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Menu } from '../../ui/inputs/Menu'
import { Story } from './Story'

const HOUR = 3600
const DAY = 24 * HOUR
const STEPS = [
  { label: '+1 min', seconds: 60 },
  { label: '+1 hr', seconds: HOUR },
  { label: '+1 day', seconds: DAY },
]
/** Moves past the due time, since due work runs after it. */
const AFTER_S = 1

export function ClockBar() {
  const now = useServiceNow()
  const { account } = useSession()
  const { jump, story } = useJump()
  const { data: moments, refetch } = useQuery(momentsQuery)
  const secondsTo = (moment: string) => (Date.parse(moment) - serviceNow().getTime()) / 1000
  const places = [
    ['Next scheduled message', moments?.scheduled],
    ['Next webhook retry', moments?.retry],
    ['T-Mobile’s daily reset', moments?.reset],
    ['Next renewal', moments?.renewal],
  ] as const
  const items = places.flatMap(([label, moment]) => {
    const seconds = moment ? secondsTo(moment) : 0
    if (seconds <= 0) return []
    const go = () => jump.mutate(seconds + AFTER_S)
    return [{ label: `${label}, in ${formatDuration(seconds)}`, onSelect: go }]
  })
  const mayNot = !account?.scopes.includes('manage') && 'This token lacks the manage scope'
  return (
    <div className="mb-4 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-ink-2">
          Service time <span className="font-medium text-ink">{formatLocal(now)}</span>
        </span>
        {STEPS.map(({ label, seconds }) => (
          <Button
            key={label}
            onClick={() => jump.mutate(seconds)}
            blocked={mayNot}
            busy={jump.isPending && jump.variables === seconds && '…'}
          >
            {label}
          </Button>
        ))}
        {mayNot ? null : (
          <Menu
            label="Jump to"
            isNamed
            onOpen={() => void refetch()}
            items={[...items, { label: '+30 days', onSelect: () => jump.mutate(30 * DAY) }]}
          />
        )}
      </div>
      {jump.error ? <ErrorNotice error={jump.error} isAnswer /> : null}
      {story ? <Story key={story.before} {...story} /> : null}
      <p className="text-sm text-ink-2">
        Time only moves forward. To start over, stop the service, delete ./data, and run npm start.
      </p>
    </div>
  )
}

function useJump() {
  const client = useQueryClient()
  const [story, setStory] = useState<{ before: string; now: string | null } | null>(null)
  const jump = useMutation({
    mutationFn: (seconds: number) =>
      request('POST /sandbox/clock/advance', { body: { seconds: Math.ceil(seconds) } }),
    // The story starts before the jump: messages can be sent before the answer arrives.
    onMutate: () => {
      const before = serviceNow().toISOString()
      setStory({ before, now: null })
      return { before }
    },
    onSuccess: ({ now }, _seconds, { before }) => {
      setStory({ before, now })
      refetchAll(client)
    },
    onError: () => setStory(null),
  })
  return { jump, story }
}
