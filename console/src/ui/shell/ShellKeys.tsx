// Keyboard shortcuts that work on every page, the button to find them, and their dialogs, loaded on first
// use.

import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useKeys } from '../../lib/use-keys'
import type { NavItem } from './nav'
import { useGoKeys } from './use-go-keys'
import { useMenuKey } from './use-menu-key'
import { useTheme } from './use-theme'

const AccountCommands = lazy(() => import('./AccountCommands'))
const KeysDialog = lazy(() => import('./KeysDialog'))

const MENU_KEY = /Mac|iP(hone|ad)/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'
const SEND: string = '/send'

export function ShellKeys({ places }: { places: readonly NavItem[] }) {
  const [open, setOpen] = useState<'menu' | 'keys' | null>(null)
  const navigate = useNavigate()
  const { next } = useTheme()
  useGoKeys(places)
  useKeys({
    c: () => void (places.some(({ path }) => path === SEND) && navigate({ to: SEND })),
    t: next,
    '?': () => setOpen('keys'),
    '/': (event) => {
      event.preventDefault()
      document.querySelector<HTMLElement>('main input[type=search], main search input')?.focus()
    },
  })
  useMenuKey(() => setOpen('menu'))
  const close = () => setOpen(null)
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen('menu')}
        className="mx-2 mb-2 flex min-h-8 cursor-pointer items-center gap-2 rounded-md border border-line bg-canvas px-2 text-sm text-ink-2 hover:bg-hover hover:text-ink max-lg:justify-center max-lg:px-0"
      >
        <Search size={14} aria-hidden="true" />
        <span className="max-lg:sr-only">Search or jump to…</span>
        <kbd className="ml-auto font-sans text-xs text-ink-3 max-lg:hidden">{MENU_KEY}</kbd>
      </button>
      <Suspense>
        {open === 'menu' ? (
          <AccountCommands places={places} onClose={close} onHelp={() => setOpen('keys')} />
        ) : null}
        {open === 'keys' ? <KeysDialog places={places} onClose={close} /> : null}
      </Suspense>
    </>
  )
}
