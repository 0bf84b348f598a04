// All keyboard shortcuts, opened with ?.

import { Dialog } from '../feedback/Dialog'
import { type KeyLine, KeyList, keyLines } from './KeyList'
import type { NavItem } from './nav'

/** Also shown in Settings. */
export const KEYS: readonly KeyLine[] = [
  { keys: '⌘K or Ctrl K', does: 'Search or jump to a page' },
  { keys: '/', does: 'Search this page' },
  { keys: 'c', does: 'Send message' },
  { keys: 'j k', does: 'Next row, previous row (in conversations, also ↓ ↑)' },
  { keys: 'Enter', does: 'Open' },
  { keys: 'Esc', does: 'Close or go back' },
  { keys: 'y', does: 'Copy the row’s ID' },
  { keys: 'l', does: 'Turn live updates on or off' },
  { keys: '[ ]', does: 'Newer or older message' },
  { keys: 'r', does: 'Reply in a conversation, replay a delivery, or return a review' },
  { keys: 'n', does: 'Write a note in a conversation' },
  { keys: 'e', does: 'Close or reopen a conversation' },
  { keys: 'a', does: 'Assign a conversation to me, or approve a review' },
  { keys: 't', does: 'Change theme' },
  { keys: '?', does: 'Show keyboard shortcuts' },
]

interface KeysDialogProps {
  /** Shortcuts of the operator pages. */
  keys?: typeof KEYS
  places: readonly NavItem[]
  onClose: () => void
}

export default function KeysDialog({ keys: own = KEYS, places, onClose }: KeysDialogProps) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} isWide>
      <KeyList lines={keyLines(own, places)} />
      <p className="text-sm text-ink-2">
        Single-letter shortcuts work when no field is focused. Turn them off in Settings, Shortcuts.
      </p>
    </Dialog>
  )
}
