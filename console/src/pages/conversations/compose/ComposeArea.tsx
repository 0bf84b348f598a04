// Below the thread: a reply to the person, or a note for the team. Notes are possible even if replies are not.

import { MessageSquare, StickyNote } from 'lucide-react'
import { type ThreadKey, useMaySend } from '../use-conversation'
import { Composer } from './Composer'
import { NoteForm } from './NoteForm'
import type { Letter } from './use-letter'

export type Mode = 'reply' | 'note'

const MODES = [
  { mode: 'reply', label: 'Reply', icon: MessageSquare, key: 'R' },
  { mode: 'note', label: 'Note', icon: StickyNote, key: 'N' },
] as const

interface ComposeAreaProps {
  conversation: ThreadKey
  letter: Letter
  /** Why sending is not possible. */
  blocked: string | null
  mode: Mode
  onMode: (mode: Mode) => void
}

export function ComposeArea({ conversation, letter, blocked, mode, onMode }: ComposeAreaProps) {
  const maySend = useMaySend()
  if (!maySend) return <Blocked reason={blocked ?? ''} />
  return (
    <div
      data-composer
      className={`flex flex-col gap-2 border-t border-line p-3 pt-2 ${mode === 'note' ? 'bg-warn-soft' : ''}`}
    >
      <fieldset className="flex gap-1">
        <legend className="sr-only">What to write</legend>
        {MODES.map(({ mode: one, label, icon: Icon, key }) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === mode}
            title={`${label} (${key})`}
            onClick={() => onMode(one)}
            className="inline-flex min-h-7 cursor-pointer items-center gap-1.5 rounded-md px-2 text-sm text-ink-2 hover:bg-hover aria-pressed:bg-hover aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:min-h-11"
          >
            <Icon size={14} aria-hidden="true" />
            {label}
          </button>
        ))}
      </fieldset>
      {mode === 'note' ? (
        <NoteForm conversation={conversation} />
      ) : blocked ? (
        <Blocked reason={blocked} isInside />
      ) : (
        <Composer letter={letter} conversation={conversation} />
      )}
    </div>
  )
}

function Blocked({ reason, isInside }: { reason: string; isInside?: boolean }) {
  return (
    <p
      role="status"
      className={`bg-sunken p-3 text-center text-ink-2 ${isInside ? 'rounded-md' : 'border-t border-line'}`}
    >
      You can’t send messages here. {reason}
    </p>
  )
}
