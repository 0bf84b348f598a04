// Keyboard shortcuts of the operator pages, their list, opened with ?, and the menu of ⌘K.

import { lazy, Suspense, useState } from 'react'
import { useKeys } from '../../lib/use-keys'
import { useOperatorPlaces } from './operator-nav'
import { useGoKeys } from './use-go-keys'
import { useMenuKey } from './use-menu-key'
import { useTheme } from './use-theme'

const OperatorCommands = lazy(() => import('./OperatorCommands'))
const KeysDialog = lazy(() => import('./KeysDialog'))

const KEYS = [
  { keys: '⌘K or Ctrl K', does: 'Search or jump to a page' },
  { keys: 'j k', does: 'Next record, previous record' },
  { keys: 'Enter', does: 'Open or confirm' },
  { keys: 'a', does: 'Approve or verify' },
  { keys: 'r', does: 'Return or refuse with your notes' },
  { keys: 'Esc', does: 'Cancel or go back' },
  { keys: '/', does: 'Search this page' },
  { keys: 't', does: 'Change theme' },
  { keys: '?', does: 'Show keyboard shortcuts' },
]

export function OperatorKeys() {
  const [open, setOpen] = useState<'menu' | 'keys' | null>(null)
  const { next } = useTheme()
  const places = useOperatorPlaces()
  useGoKeys(places)
  useKeys({
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
    <Suspense>
      {open === 'menu' ? (
        <OperatorCommands places={places} onClose={close} onHelp={() => setOpen('keys')} />
      ) : null}
      {open === 'keys' ? <KeysDialog keys={KEYS} places={places} onClose={close} /> : null}
    </Suspense>
  )
}
