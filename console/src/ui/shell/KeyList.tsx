// Keyboard shortcuts and what they do, in two columns if there is room.

import type { NavItem } from './nav'

export interface KeyLine {
  keys: string
  does: string
}

/** Shortcuts of pages, then those that jump to a page. */
export function keyLines(own: readonly KeyLine[], places: readonly NavItem[]): readonly KeyLine[] {
  const going = places
    .filter(({ key }) => key)
    .map(({ key, label }) => ({ keys: `g ${key}`, does: label }))
  return [...own, ...going]
}

export function KeyList({ lines }: { lines: readonly KeyLine[] }) {
  return (
    <dl className="grid gap-x-8 gap-y-1 sm:grid-cols-2">
      {lines.map(({ keys, does }) => (
        <div key={keys} className="flex items-baseline gap-3 border-b border-line py-1">
          <dt className="w-28 shrink-0">
            <kbd className="rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-sm">{keys}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  )
}
