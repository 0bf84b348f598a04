// Sections of a page with separate URLs, as tabs. They are links, so each can open in a new tab.

import { Link, type LinkProps } from '@tanstack/react-router'

export interface TabLink {
  label: string
  link: LinkProps
  count?: number | undefined
}

export function TabLinks({ label, tabs }: { label: string; tabs: readonly TabLink[] }) {
  return (
    <nav aria-label={label} className="mb-4 overflow-x-auto border-b border-line">
      <ul className="flex gap-1">
        {tabs.map(({ label: name, link, count }) => (
          <li key={name}>
            <Link
              {...link}
              activeOptions={{ exact: true, includeSearch: false }}
              className="-mb-px flex min-h-9 items-center gap-1.5 border-b-2 border-transparent px-2 whitespace-nowrap text-ink-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:min-h-11"
            >
              {name}
              {count === undefined ? null : <span className="text-sm text-ink-3">{count}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
