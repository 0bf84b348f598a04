// What tables of people share: the column of actions, and a row on a phone.

import type { ReactNode } from 'react'
import type { Column } from '../../ui/display/DataTable'
import { Time } from '../../ui/display/Time'

export function actsColumn<Row>(cell: Column<Row>['cell']): Column<Row> {
  return {
    name: 'acts',
    head: <span className="sr-only">Actions</span>,
    className: 'w-14',
    cell,
  }
}

export function seenColumn<Row extends { lastSeenAt: string | null }>(): Column<Row> {
  return {
    name: 'seen',
    head: 'Last seen',
    className: 'w-32',
    cell: ({ lastSeenAt }) =>
      lastSeenAt ? <Time at={lastSeenAt} /> : <span className="text-ink-3">Never</span>,
  }
}

interface ShortPersonProps {
  title: string
  text: string
  children: ReactNode
}

export function ShortPerson({ title, text, children }: ShortPersonProps) {
  return (
    <div className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <div className="truncate font-medium" dir="auto">
          {title}
        </div>
        <div className="truncate text-sm text-ink-2">{text}</div>
      </div>
      {children}
    </div>
  )
}
