// On a phone: the operator pages that the bottom bar has no room for.

import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { Page } from '../../ui/layout/Page'
import { ThemeButton } from '../../ui/shell/AccountMenu'
import { AT_HAND, useOperatorPlaces } from '../../ui/shell/operator-nav'

export function More() {
  const places = useOperatorPlaces().filter(({ label }) => !AT_HAND.includes(label))
  return (
    <Page title="More" actions={<ThemeButton />}>
      <nav aria-label="All pages">
        <ul className="rounded-lg border border-line bg-surface">
          {places.map(({ path, label, icon: Icon }) => (
            <li key={path} className="border-b border-line last:border-0">
              <Link to={path} className="flex min-h-12 items-center gap-3 px-3">
                <Icon size={20} aria-hidden="true" className="text-ink-2" />
                {label}
                <ChevronRight size={16} aria-hidden="true" className="ml-auto text-ink-3" />
              </Link>
            </li>
          ))}
        </ul>
      </nav>
    </Page>
  )
}
