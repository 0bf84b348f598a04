// All pages, for phones: the bottom bar has room for four.

import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { Page } from '../ui/layout/Page'
import { AccountMenu } from '../ui/shell/AccountMenu'
import { NeedsCount } from '../ui/shell/AppShell'
import { LiveBadge } from '../ui/shell/LiveBadge'
import { useNeeds } from '../ui/shell/use-needs'
import { usePlaces } from '../ui/shell/use-places'

export function More() {
  const groups = usePlaces()
  const needs = useNeeds()
  return (
    <Page title="More" actions={<LiveBadge />}>
      <nav aria-label="All pages" className="flex flex-col gap-4">
        {groups.map(({ title, places }) => (
          <div key={title ?? ''}>
            {title ? <h2 className="mb-1 text-sm text-ink-2">{title}</h2> : null}
            <ul className="rounded-lg border border-line bg-surface">
              {places.map(({ path, label, icon: Icon }) => (
                <li key={path} className="border-b border-line last:border-0">
                  <Link to={path} className="flex min-h-12 items-center gap-3 px-3">
                    <Icon size={20} aria-hidden="true" className="text-ink-2" />
                    {label}
                    {needs.has(path) ? <NeedsCount count={needs.get(path)!} /> : null}
                    <ChevronRight
                      size={16}
                      aria-hidden="true"
                      className={needs.has(path) ? 'text-ink-3' : 'ml-auto text-ink-3'}
                    />
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="mt-4 [&>div]:flex-row [&>div]:px-0">
        <AccountMenu />
      </div>
    </Page>
  )
}
