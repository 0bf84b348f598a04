// Where the person is signed in.

import type { ProfileSession } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { useAct } from '../../lib/use-act'
import { Time } from '../../ui/display/Time'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { Card } from '../../ui/layout/Page'

export function Sessions({ sessions }: { sessions: readonly ProfileSession[] }) {
  const end = useAct(
    (_key, id: string) => request('DELETE /console/profile/session/{id}', { path: { id } }),
    { onDone: () => toast('Session ended') },
  )
  const endOthers = useAct(() => request('DELETE /console/profile/session', {}), {
    onDone: () => toast('Your other sessions ended'),
  })
  const error = end.error ?? endOthers.error
  return (
    <Card title="Sessions">
      <ul className="flex flex-col gap-2">
        {sessions.map((session) => (
          <li key={session.id} className="flex items-center gap-2">
            <div className="min-w-0 flex-1">
              <div className="truncate" title={session.userAgent}>
                {browserOf(session.userAgent)} · {session.address}
              </div>
              <div className="text-sm text-ink-2">
                Last used <Time at={session.lastUsedAt} />
              </div>
            </div>
            {session.isCurrent ? (
              <span className="text-sm text-ink-2">This session</span>
            ) : (
              <Button
                aria-label={`End the session at ${session.address}`}
                onClick={() => end.run(session.id)}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      {error ? <ErrorNotice error={error} isAnswer /> : null}
      {sessions.length > 1 ? (
        <Button
          className="mt-3"
          onClick={() => endOthers.run()}
          busy={endOthers.isBusy && 'Ending…'}
        >
          End all other sessions
        </Button>
      ) : null}
    </Card>
  )
}

const BROWSERS = ['Edg', 'Firefox', 'Chrome', 'Safari'] as const
const SYSTEMS = ['iPhone', 'iPad', 'Android', 'Windows', 'Mac OS', 'Linux'] as const

/** Good enough to recognize one's own device. */
function browserOf(userAgent: string): string {
  const browser = BROWSERS.find((name) => userAgent.includes(name)) ?? 'Unknown browser'
  const system = SYSTEMS.find((name) => userAgent.includes(name))
  const name = browser === 'Edg' ? 'Edge' : browser
  return system ? `${name} on ${system}` : name
}
