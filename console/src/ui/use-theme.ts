// The theme: that of the system until somebody chooses. Kept in this browser; theme.js applies it before
// the first paint.

import { useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'
const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const KEY = 'longcode.theme'

export function useTheme(): { theme: Theme; next: () => void } {
  const [theme, setTheme] = useState<Theme>(read)
  const next = () => {
    const chosen = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!
    setTheme(chosen)
    if (chosen === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = chosen
    try {
      localStorage.setItem(KEY, chosen)
    } catch {
      // A browser that keeps nothing: it is chosen for this page.
    }
  }
  return { theme, next }
}

function read(): Theme {
  const chosen = document.documentElement.dataset.theme
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}
