// What moving the clock triggered, in one sentence with links.

import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { Fragment, useEffect, useState } from 'react'
import { aftermathQuery, asSentOrExpired, type SentOrExpired } from '../../api/clock-queries'
import { onLiveEvent } from '../../api/stream'
import { formatMoney, plural } from '../../lib/format'
import { Notice } from '../../ui/feedback/Notice'

interface Counts {
  scheduled: number
  expired: number
}

interface StoryProps {
  /** The service's time before and after the move. Null until the move is answered. */
  before: string
  now: string | null
}

const utc = new Intl.DateTimeFormat('en-US', {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'UTC',
})

export function Story({ before, now }: StoryProps) {
  const { data } = useQuery({ ...aftermathQuery(before), enabled: now !== null })
  const { scheduled, expired } = useCounts(data?.messages)
  if (now === null) return null
  const parts: { text: string; link: LinkProps }[] = []
  if (data && data.renewals.length > 0) {
    const sum = data.renewals.reduce((all, { amount }) => all - amount, 0)
    const first = data.renewals.find(({ campaignId }) => campaignId)?.campaignId
    parts.push({
      text: `${plural(data.renewals.length, 'renewal')} (${formatMoney(sum)})`,
      link: first ? { to: '/campaigns/$id', params: { id: first } } : { to: '/campaigns' },
    })
  }
  if (scheduled > 0) {
    parts.push({
      text: `${plural(scheduled, 'scheduled message')} sent`,
      link: { to: '/messages', search: { direction: 'OUTBOUND' } },
    })
  }
  if (expired > 0) {
    parts.push({
      text: `${plural(expired, 'message')} expired`,
      link: { to: '/messages', search: { status: 'EXPIRED' } },
    })
  }
  if (data?.webhookId) {
    parts.push({
      text: plural(data.retries, 'webhook retry', 'webhook retries'),
      link: { to: '/webhooks/$id', params: { id: data.webhookId } },
    })
  }
  return (
    <Notice tone="go" title={`It is now ${utc.format(new Date(now))} UTC.`} isAnswer>
      {parts.length === 0 ? 'Nothing was due.' : null}
      {parts.map(({ text, link }, i) => (
        <Fragment key={text}>
          {i > 0 ? ', ' : ''}
          <Link {...link} className="text-accent-ink underline">
            {text}
          </Link>
        </Fragment>
      ))}
      {parts.length > 0 ? '.' : null}
    </Notice>
  )
}

/** Each message once, however many events it has: from live events, and from the API for what they missed. */
function useCounts(found: readonly SentOrExpired[] = []): Counts {
  const [live, setLive] = useState<ReadonlyMap<string, SentOrExpired>>(new Map())
  useEffect(
    () =>
      onLiveEvent(({ eventType, data }) => {
        if (eventType !== 'message.status') return
        const message = asSentOrExpired(data.message)
        if (message) setLive((previous) => new Map(previous).set(message.id, message))
      }),
    [],
  )
  const all = [...new Map([...found.map((one) => [one.id, one] as const), ...live]).values()]
  return {
    scheduled: all.filter(({ kind }) => kind === 'scheduled').length,
    expired: all.filter(({ kind }) => kind === 'expired').length,
  }
}
