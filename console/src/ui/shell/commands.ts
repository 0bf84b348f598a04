// What ⌘K offers: entries in groups, and how typed words match them.

import type { NavItem } from './nav'

export interface Command {
  value: string
  hint?: string
  run: () => void
}

/** Opens a page. */
export type Go = (path: string) => () => void

export interface CommandGroup {
  value: string
  items: readonly Command[]
}

/** At most this many names are offered. */
export const MOST_NAMES = 8
/** Typing rests this long before a request is sent. */
export const SETTLED_MS = 200

export function placeCommands(places: readonly NavItem[], go: Go): Command[] {
  return places.map(({ label, path, key }) => ({
    value: label,
    hint: key ? `g ${key}` : '',
    run: go(path),
  }))
}

/** Items whose words start with the typed words, in any order. */
export function matching(text: string, items: readonly Command[]): Command[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean)
  const has = (value: string, word: string) =>
    value
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .some((part) => part.startsWith(word))
  return items.filter(({ value }) => words.every((word) => has(value, word)))
}
