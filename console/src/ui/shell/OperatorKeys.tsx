// Keyboard shortcuts of the operator pages, and their list, opened with ?.

import { lazy, Suspense, useState } from 'react'
import { useKeys } from '../../lib/use-keys'
import { useOperatorPlaces } from './operator-nav'
import { useGoKeys } from './use-go-keys'
import { useTheme } from './use-theme'

const KeysDialog = lazy(() => import('./KeysDialog'))

const KEYS = [
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
  const [isOpen, setOpen] = useState(false)
  const { next } = useTheme()
  const places = useOperatorPlaces()
  useGoKeys(places)
  useKeys({
    t: next,
    '?': () => setOpen(true),
    '/': (event) => {
      event.preventDefault()
      document.querySelector<HTMLElement>('main input[type=search], main search input')?.focus()
    },
  })
  if (!isOpen) return null
  return (
    <Suspense>
      <KeysDialog keys={KEYS} places={places} onClose={() => setOpen(false)} />
    </Suspense>
  )
}
