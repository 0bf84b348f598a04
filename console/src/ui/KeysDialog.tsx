// All keys, by ?.

import { Dialog } from './Dialog'
import { type KeyLine, KeyList, keyLines } from './KeyList'
import type { Place } from './nav'

/** Also shown in Settings. */
export const KEYS: readonly KeyLine[] = [
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
  /** Keys of the operator pages. */
  keys?: typeof KEYS
  places: readonly Place[]
  onClose: () => void
}

export default function KeysDialog({ keys: own = KEYS, places, onClose }: KeysDialogProps) {
  return (
    <Dialog title="Keys" onClose={onClose} isWide>
      <KeyList lines={keyLines(own, places)} />
      <p className="text-sm text-ink-2">
        Letters work while no field has the focus. Settings, Keys switches them off.
      </p>
    </Dialog>
  )
}
