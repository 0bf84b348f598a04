// The review queues as a list of links, the longest waiting first, each with its waiting time and whether it was
// reviewed before.

import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { OperatorReviewQueueReply } from '../../../../generated/types.gen'
import { formatCount } from '../../../lib/format'
import { formatDuration } from '../../../lib/format-time'
import { useServiceNow } from '../../../lib/service-time'
import { useKeys } from '../../../lib/use-keys'
import { ordinal } from './RecordFrame'
import { isDecidable, type QueueItem, type useQueue } from './use-queue'

interface QueueListProps {
  queue: Pick<ReturnType<typeof useQueue>, 'brands' | 'campaigns'>
  data: OperatorReviewQueueReply
  openId: string | null
}

export function QueueList({ queue, data, openId }: QueueListProps) {
  const list = useRef<HTMLDivElement>(null)
  useListKeys(list)
  return (
    <div ref={list}>
      <Group title="Brands" waiting={data.brands} items={queue.brands} openId={openId} />
      <Group title="Campaigns" waiting={data.campaigns} items={queue.campaigns} openId={openId} />
    </div>
  )
}

interface GroupProps {
  title: string
  waiting: { waiting: number; oldestAt: string | null }
  items: readonly QueueItem[]
  openId: string | null
}

function Group({ title, waiting: { waiting, oldestAt }, items, openId }: GroupProps) {
  const now = useServiceNow()
  return (
    <section aria-label={title}>
      <h2 className="flex items-baseline gap-2 border-b border-line bg-sunken px-3 py-2 text-sm font-medium">
        {title} <span className="font-normal text-ink-2">{formatCount(waiting)}</span>
        {oldestAt ? (
          <span className="ml-auto text-xs font-normal text-ink-2">
            oldest: {formatDuration((now.getTime() - Date.parse(oldestAt)) / 1000)}
          </span>
        ) : null}
      </h2>
      {items.length === 0 ? (
        <p className="border-b border-line px-3 py-3 text-sm text-ink-2">None waiting.</p>
      ) : (
        <ul>
          {items.map((item) => (
            <li key={item.id} className="border-b border-line last:border-0">
              <Item item={item} isOpen={item.id === openId} now={now} />
            </li>
          ))}
        </ul>
      )}
      {waiting > items.length ? (
        <p className="px-3 py-2 text-sm text-ink-2">
          {formatCount(waiting - items.length)} more. They appear as you work through these.
        </p>
      ) : null}
    </section>
  )
}

function Item({ item, isOpen, now }: { item: QueueItem; isOpen: boolean; now: Date }) {
  const whose = item.kind === 'campaign' ? item.brandName : item.accountName
  return (
    <Link
      to={`/operator/reviews/${item.kind}/$id`}
      params={{ id: item.id }}
      data-queue-item
      // The router marks the link of the open page with aria-current.
      className={`flex min-h-14 flex-col justify-center gap-0.5 px-3 py-2 focus-visible:-outline-offset-2 ${isOpen ? 'bg-accent-soft shadow-[inset_3px_0_var(--color-accent)]' : 'hover:bg-hover'}`}
    >
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate font-medium" dir="auto">
          {item.name || item.id}
        </span>
        <span className="shrink-0 text-sm text-ink-2">
          {formatDuration((now.getTime() - Date.parse(item.submittedAt)) / 1000)}
        </span>
      </span>
      <span className="flex items-baseline gap-2 text-sm text-ink-2">
        <span className="min-w-0 flex-1 truncate" dir="auto">
          {whose}
        </span>
        {isDecidable(item) ? null : <span className="shrink-0">waiting for brand</span>}
        {item.tries > 1 ? <span className="shrink-0">{ordinal(item.tries)} submission</span> : null}
      </span>
    </Link>
  )
}

/** j and k move the focus between records, starting at the open one. Enter follows the link. */
function useListKeys(list: React.RefObject<HTMLDivElement | null>): void {
  const move =
    (step: number) =>
    (event: KeyboardEvent): void => {
      const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-queue-item]') ?? [])]
      const focused = links.indexOf(document.activeElement as HTMLElement)
      const open = links.findIndex((link) => link.hasAttribute('aria-current'))
      const from = focused >= 0 ? focused : open
      const next = links[Math.max(0, Math.min(links.length - 1, from + step))]
      event.preventDefault()
      next?.focus()
    }
  useKeys({ j: move(1), k: move(-1) })
}
