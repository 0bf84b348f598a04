// The theme: the system's until someone chooses another. Saved in this browser. theme.js applies it before the first
// paint.

import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'
export const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const KEY = 'longcode.theme'

const watchers = new Set<() => void>()

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // Without storage, it applies to this page only.
  }
  for (const watcher of watchers) watcher()
}

export function useTheme(): { theme: Theme; next: () => void } {
  const theme = useSyncExternalStore((watcher) => {
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  }, read)
  const next = () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!)
  return { theme, next }
}

function read(): Theme {
  const chosen = document.documentElement.dataset.theme
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}
