// The frame of pages without navigation: signing in, and joining.

import { type ReactNode, useEffect } from 'react'
import { brandName } from '../../lib/brand-name'
import { Mark, SupportLine } from '../../ui/shell/Mark'

export function Frame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${brandName()}`
  }, [title])
  return (
    <main id="main" className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-full max-w-100 flex-col gap-4 rounded-lg border border-line bg-surface p-6">
        <div className="flex items-center gap-2">
          <Mark size={28} />
          <h1 className="text-xl font-semibold wrap-anywhere">{title}</h1>
        </div>
        {children}
        <SupportLine />
      </div>
    </main>
  )
}
