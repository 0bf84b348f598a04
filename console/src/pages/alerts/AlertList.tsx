// A list of alerts: what happened, since when, what to do, and where.

import { Link } from '@tanstack/react-router'
import { BellOff, CircleCheck, TriangleAlert } from 'lucide-react'
import type { ListedAlert } from '../../../generated/types.gen'
import { ALERT_TITLES } from '../../lib/attention'
import { Time } from '../../ui/display/Time'
import { alertLink } from './alert-link'

export function AlertList({ label, alerts }: { label: string; alerts: readonly ListedAlert[] }) {
  return (
    <ul aria-label={label} className="mt-2 divide-y divide-line border-t border-line">
      {alerts.map((alert) => (
        <AlertItem key={alert.id} alert={alert} />
      ))}
    </ul>
  )
}

function AlertItem({ alert }: { alert: ListedAlert }) {
  const { kind, since, clearedAt, whatHappened, whatToDo, muted } = alert
  const isOpen = clearedAt === null
  const Icon = isOpen ? TriangleAlert : CircleCheck
  const link = alertLink(alert)
  return (
    <li className="flex gap-3 px-4 py-3">
      <Icon
        size={16}
        aria-hidden="true"
        className={`mt-1 shrink-0 ${isOpen ? 'text-warn-ink' : 'text-ok-ink'}`}
      />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          {ALERT_TITLES[kind]}
          {muted ? (
            <span className="inline-flex items-center gap-1 text-sm font-normal text-ink-2">
              <BellOff size={14} aria-hidden="true" />
              Muted
            </span>
          ) : null}
        </p>
        <p className="wrap-anywhere">{whatHappened}</p>
        {isOpen ? <p className="text-ink-2 wrap-anywhere">What to do: {whatToDo}</p> : null}
        <p className="mt-1 flex flex-wrap items-center gap-x-3 text-sm text-ink-2">
          <span>
            Since <Time at={since} form="since" />
            {clearedAt === null ? null : (
              <>
                , cleared <Time at={clearedAt} form="when" />
              </>
            )}
          </span>
          {link ? (
            <Link
              {...link.to}
              className="font-medium text-accent-ink underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
            >
              {link.label}
            </Link>
          ) : null}
        </p>
      </div>
    </li>
  )
}
