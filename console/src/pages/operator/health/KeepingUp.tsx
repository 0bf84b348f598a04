// The answer to "are we keeping up?" in one line, and what waits by route.

import type { OperatorGetHealthReply } from '../../../../generated/types.gen'
import { formatCount, plural } from '../../../lib/format'
import { formatDuration } from '../../../lib/format-time'
import { Notice } from '../../../ui/Notice'
import { ROUTE_NAMES } from './describe-health'

/** Waiting longer than that is not just how busy systems are. */
const LATE_S = 60

export function Verdict({ health }: { health: OperatorGetHealthReply }) {
  const { carrier, queue, database } = health
  const waiting = queue.reduce((all, route) => all + route.waiting, 0)
  const oldest = Math.max(0, ...queue.map(({ oldestSeconds }) => oldestSeconds ?? 0))
  if (carrier.state === 'down') {
    return (
      <Notice tone="bad" title="The carrier link is down.">
        Messages are accepted and wait: {formatCount(waiting)} now. They go out by themselves when
        it is back.
      </Notice>
    )
  }
  if (carrier.state === 'none') {
    return (
      <Notice tone="bad" title="No carrier link is set up: sends are refused.">
        Carriers says how to set one up.
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
        title={`${down.length === 1 ? 'A carrier link is' : 'Carrier links are'} down: ${down.join(', ')}.`}
      >
        Messages go by the others where routes allow it; {formatCount(waiting)} could go out now.
      </Notice>
    )
  }
  if (oldest > LATE_S) {
    return (
      <Notice
        tone="warn"
        title={`Behind: ${plural(waiting, 'message')} could go out now, the oldest for ${formatDuration(oldest)}.`}
      >
        A limit may hold them: see which campaigns below. Else add dispatchers.
      </Notice>
    )
  }
  return (
    <Notice
      tone="go"
      title={
        waiting === 0
          ? 'Keeping up: nothing waits.'
          : `Keeping up: ${plural(waiting, 'message')} on the way.`
      }
    />
  )
}

export function QueueTable({ queue }: { queue: OperatorGetHealthReply['queue'] }) {
  const most = Math.max(1, ...queue.map(({ waiting }) => waiting))
  return (
    <table aria-label="What waits, by route" className="w-full border-collapse">
      <thead>
        <tr className="text-left text-xs text-ink-2">
          <th className="py-1 font-medium">Route</th>
          <td className="max-sm:hidden" />
          <th className="py-1 text-right font-medium">Waiting</th>
          <th className="py-1 text-right font-medium">For later</th>
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
