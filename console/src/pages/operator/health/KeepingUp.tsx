// Whether the service keeps up, in one line, and the queue by route.

import type { OperatorGetHealthReply } from '../../../../generated/types.gen'
import { formatCount, plural } from '../../../lib/format'
import { formatDuration } from '../../../lib/format-time'
import { Notice } from '../../../ui/feedback/Notice'
import { ROUTE_NAMES } from './describe-health'

/** Waiting longer than this means the service is behind. */
const LATE_S = 60

export function HealthSummary({ health }: { health: OperatorGetHealthReply }) {
  const { carrier, queue, database } = health
  const waiting = queue.reduce((all, route) => all + route.waiting, 0)
  const oldest = Math.max(0, ...queue.map(({ oldestSeconds }) => oldestSeconds ?? 0))
  if (carrier.state === 'down') {
    return (
      <Notice tone="bad" title="The carrier link is down">
        Messages are still accepted. {plural(waiting, 'message is', 'messages are')} waiting.
        Waiting messages go out automatically when the link is back.
      </Notice>
    )
  }
  if (carrier.state === 'none') {
    return (
      <Notice tone="bad" title="No carrier link. Sends are refused.">
        See Carriers to set one up.
      </Notice>
    )
  }
  if (database.problem) {
    return <Notice tone="warn" title={`The database ${database.problem}.`} />
  }
  const down = carrier.links.filter((link) => link.state !== 'up').map(({ link }) => link)
  if (down.length > 0) {
    return (
      <Notice
        tone="warn"
        title={`${down.length === 1 ? 'A carrier link is' : 'Carrier links are'} not fully up: ${down.join(', ')}`}
      >
        Messages use other links where routes allow it.{' '}
        {plural(waiting, 'message is', 'messages are')} ready to send.
      </Notice>
    )
  }
  if (oldest > LATE_S) {
    return (
      <Notice
        tone="warn"
        title={`Falling behind: ${plural(waiting, 'message')} ready to send, oldest: ${formatDuration(oldest)}`}
      >
        Carrier limits may be the cause: see the longest queues below. Otherwise, add dispatchers.
      </Notice>
    )
  }
  return (
    <Notice
      tone="go"
      title={
        waiting === 0
          ? 'Keeping up. No messages are waiting.'
          : `Keeping up. ${plural(waiting, 'message')} in progress.`
      }
    />
  )
}

export function QueueTable({ queue }: { queue: OperatorGetHealthReply['queue'] }) {
  const most = Math.max(1, ...queue.map(({ waiting }) => waiting))
  return (
    <table aria-label="Queue by route" className="w-full border-collapse">
      <thead>
        <tr className="text-left text-xs text-ink-2">
          <th className="py-1 font-medium">Route</th>
          <td className="max-sm:hidden" />
          <th className="py-1 text-right font-medium">Waiting</th>
          <th className="py-1 text-right font-medium">Scheduled</th>
          <th className="py-1 text-right font-medium">Oldest</th>
        </tr>
      </thead>
      <tbody>
        {queue.map(({ route, waiting, pending, oldestSeconds }) => (
          <tr key={route} className="h-10 border-t border-line">
            <td className="whitespace-nowrap">{ROUTE_NAMES[route] ?? route}</td>
            <td className="w-1/3 px-3 max-sm:hidden" aria-hidden="true">
              <span
                className="block h-2 rounded-sm bg-accent"
                style={{ width: `${(waiting / most) * 100}%` }}
              />
            </td>
            <td className="text-right">{formatCount(waiting)}</td>
            <td className="text-right">{formatCount(pending - waiting)}</td>
            <td className="text-right">
              {oldestSeconds === null ? '–' : formatDuration(oldestSeconds)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
