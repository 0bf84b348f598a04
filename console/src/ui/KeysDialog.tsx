// All keys, by ?.

import { Dialog } from './Dialog'
import type { Place } from './nav'

/** Also shown in Settings. */
export const KEYS: readonly { keys: string; does: string }[] = [
  { keys: '⌘K or Ctrl K', does: 'Go, find, do' },
  { keys: '/', does: 'Search on this page' },
  { keys: 'c', does: 'Send message' },
  { keys: 'j k', does: 'Next row, row before' },
  { keys: 'Enter', does: 'Open' },
  { keys: 'Esc', does: 'Close, back' },
  { keys: 'y', does: 'Copy the id of the row' },
  { keys: 'l', does: 'Live on and off' },
  { keys: '[ ]', does: 'Newer, older message' },
  { keys: 'r', does: 'Replay a delivery; return a review' },
  { keys: 'a', does: 'Approve a review' },
  { keys: 't', does: 'Theme' },
  { keys: '?', does: 'This list' },
]

interface KeysDialogProps {
  /** Those of another side of the house. */
  keys?: typeof KEYS
  places: readonly Place[]
  onClose: () => void
}

export default function KeysDialog({ keys: own = KEYS, places, onClose }: KeysDialogProps) {
  const lines = [
    ...own,
    ...places.filter(({ key }) => key).map(({ key, label }) => ({ keys: `g ${key}`, does: label })),
  ]
  return (
    <Dialog title="Keys" onClose={onClose} isWide>
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
      <p className="text-sm text-ink-2">
        Letters work while no field has the focus. Settings, Keys switches them off.
      </p>
    </Dialog>
  )
}
