// A list of names and values. Empty values show a dash.

import { Fragment, type ReactNode } from 'react'

export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,8rem)_minmax(0,1fr)] gap-x-3 gap-y-1.5">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt className="text-ink-2">{name}</dt>
          <dd dir="auto" className="wrap-anywhere whitespace-pre-wrap">
            {value || <span className="text-ink-3">–</span>}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}
