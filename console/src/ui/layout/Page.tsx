// The frame of a page: its title, which is the only h1 and gets the focus on navigation, its actions, and loading and
// empty states.

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { brandName } from '../../lib/brand-name'

interface PageProps {
  title: string
  actions?: ReactNode
  /** Next to the title: a status, an id. */
  meta?: ReactNode
  children: ReactNode
}

export function Page({ title, actions, meta, children }: PageProps) {
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${brandName()}`
    head.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div className="mx-auto w-full max-w-300 px-4 py-4 sm:px-6 sm:py-6">
      <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1
          ref={head}
          tabIndex={-1}
          dir="auto"
          className="min-w-0 text-xl font-semibold wrap-anywhere outline-none"
        >
          {title}
        </h1>
        {meta}
        {actions ? (
          <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>
        ) : null}
      </div>
      {children}
    </div>
  )
}

export function Card({
  title,
  children,
  className = '',
}: {
  title?: ReactNode
  children: ReactNode
  className?: string
}) {
  return (
    <section className={`rounded-lg border border-line bg-surface p-4 ${className}`}>
      {title ? <h2 className="mb-3 text-lg font-semibold">{title}</h2> : null}
      {children}
    </section>
  )
}

/** One bold line, one sentence, one or two buttons. */
export function Empty({
  title,
  children,
  actions,
}: {
  title: string
  children?: ReactNode
  actions?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-12 text-center">
      <p className="text-lg font-semibold">{title}</p>
      {children ? <div className="max-w-120 text-ink-2">{children}</div> : null}
      {actions ? <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div> : null}
    </div>
  )
}

/** While the code of a page loads. */
export function PagePending() {
  return (
    <div
      aria-hidden="true"
      data-skeleton
      className="mx-auto flex w-full max-w-300 flex-col gap-6 px-4 py-6 sm:px-6"
    >
      {['w-40', 'w-4/5', 'w-3/5', 'w-2/3', 'w-1/2'].map((width) => (
        <div key={width} className={`h-3 rounded-sm bg-hover ${width}`} />
      ))}
    </div>
  )
}

const QUIET_MS = 150

/** True once a response takes longer than most. */
export function useSlow(): boolean {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), QUIET_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSlow
}

/** Placeholder lines of the real height. Hidden at first, because most responses arrive quickly. */
export function Skeleton({ rows, height = 40 }: { rows: number; height?: number }) {
  const isShown = useSlow()
  return (
    <div aria-hidden="true" data-skeleton className={isShown ? '' : 'invisible'}>
      {Array.from({ length: rows }, (_, i) => (
        <div key={String(i)} className="flex items-center" style={{ height }}>
          <div className="h-3 rounded-sm bg-hover" style={{ width: `${85 - ((i * 17) % 40)}%` }} />
        </div>
      ))}
    </div>
  )
}
