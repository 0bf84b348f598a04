// The views of the inbox with their counts. The view is in the URL.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type InboxView, inboxCountsQuery } from '../../../api/inbox-queries'
import { useMe } from '../use-conversation'

/** The service counts the latest 1,000. */
const COUNT_MAX = 1_000

const LABELS: Record<InboxView, { label: string; short?: string; title: string }> = {
  waiting: { label: 'Waiting', title: 'They wrote last' },
  unread: { label: 'Unread', title: 'Nobody has opened it since the last reply' },
  mine: { label: 'Assigned to me', short: 'Mine', title: 'Open and assigned to me' },
  closed: { label: 'Closed', title: 'Closed, and no reply since' },
  all: { label: 'All', title: 'Every conversation, including those without a reply' },
}

export function Views({ view, campaign }: { view: InboxView; campaign: string | undefined }) {
  const me = useMe()
  const { data } = useQuery(inboxCountsQuery(campaign, me?.id ?? null))
  const counts: Partial<Record<InboxView, number | undefined>> = {
    waiting: data?.counts.waiting,
    unread: data?.counts.unread,
    mine: data?.counts.assigned,
  }
  const views = (Object.keys(LABELS) as InboxView[]).filter((one) => one !== 'mine' || me)
  return (
    <nav aria-label="Views" className="mb-3 overflow-x-auto border-b border-line">
      <ul className="flex md:gap-1">
        {views.map((one) => (
          <li key={one}>
            <Link
              to="/conversations"
              search={{ ...(one !== 'waiting' && { view: one }), ...(campaign && { campaign }) }}
              // The router knows only an exact match. With an open thread, the view is still current.
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={one === view ? 'page' : undefined}
              title={LABELS[one].title}
              className="-mb-px flex min-h-9 items-center gap-1.5 border-b-2 border-transparent px-2 whitespace-nowrap text-ink-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:min-h-11"
            >
              <Label view={one} />
              <Count count={counts[one]} isLoud={one === 'waiting'} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Label({ view }: { view: InboxView }) {
  const { label, short } = LABELS[view]
  if (!short) return label
  return (
    <>
      <span className="max-md:hidden">{label}</span>
      <span className="md:hidden">{short}</span>
    </>
  )
}

function Count({ count, isLoud }: { count: number | undefined; isLoud: boolean }) {
  if (!count) return null
  return (
    <span
      className={`min-w-5 rounded-full px-1.5 text-center text-xs leading-5 font-medium tabular-nums ${
        isLoud ? 'bg-accent-soft text-accent-ink' : 'bg-hover text-ink-2'
      }`}
    >
      {count >= COUNT_MAX ? '999+' : count}
    </span>
  )
}
