// The keys that work on every page, and what they open, which is loaded when it is first asked for.

import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useKeys } from '../lib/use-keys'
import type { Place } from './nav'
import { useGoKeys } from './use-go-keys'
import { useTheme } from './use-theme'

const CommandMenu = lazy(() => import('./CommandMenu'))
const KeysDialog = lazy(() => import('./KeysDialog'))

const SEND: string = '/send'

export function ShellKeys({ places }: { places: readonly Place[] }) {
  const [open, setOpen] = useState<'menu' | 'keys' | null>(null)
  const navigate = useNavigate()
  const { next } = useTheme()
  useGoKeys(places)
  useKeys({
    c: () => void navigate({ to: SEND }),
    t: next,
    '?': () => setOpen('keys'),
    '/': (event) => {
      event.preventDefault()
      document.querySelector<HTMLElement>('main input[type=search], main search input')?.focus()
    },
  })
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen('menu')
    }
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [])
  const close = () => setOpen(null)
  return (
    <Suspense>
      {open === 'menu' ? (
        <CommandMenu places={places} onClose={close} onHelp={() => setOpen('keys')} />
      ) : null}
      {open === 'keys' ? <KeysDialog places={places} onClose={close} /> : null}
    </Suspense>
  )
}
