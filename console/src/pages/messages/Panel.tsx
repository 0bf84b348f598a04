// The open message next to the list: [ and ] move to the newer and older one, Escape closes it and returns to its
// row.

import { useNavigate } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, type LucideIcon, X } from 'lucide-react'
import type { Message } from '../../../generated/types.gen'
import { useKeys } from '../../lib/use-keys'
import { MessageDetail } from './MessageDetail'

interface PanelProps {
  id: string
  rows: readonly Message[]
}

export function Panel({ id, rows }: PanelProps) {
  const navigate = useNavigate({ from: '/messages' })
  const index = rows.findIndex((row) => row.id === id)
  const newer = index > 0 ? rows[index - 1]!.id : null
  const older = index >= 0 ? (rows[index + 1]?.id ?? null) : null
  const go = (open: string | null) => {
    if (open === null) return
    void navigate({ search: (now) => ({ ...now, open }), replace: true, resetScroll: false })
  }
  const close = () => {
    const row = document.querySelector<HTMLElement>('[data-row-link][aria-current]')
    void navigate({ search: ({ open: _, ...rest }) => rest, resetScroll: false })
    row?.focus()
  }
  useKeys({ Escape: close, '[': () => go(newer), ']': () => go(older) })
  return (
    <aside
      aria-label="Message details"
      className="sticky top-[calc(var(--strip)+1rem)] max-h-[calc(100dvh-var(--strip)-2rem)] overflow-y-auto rounded-lg border border-line bg-surface p-4"
    >
      <div className="-mt-1 -mr-1 mb-2 flex items-center">
        <h2 className="mr-auto text-lg font-semibold">Message</h2>
        <IconButton
          icon={ArrowUp}
          label="Newer message"
          shortcut="["
          isOff={newer === null}
          onPress={() => go(newer)}
        />
        <IconButton
          icon={ArrowDown}
          label="Older message"
          shortcut="]"
          isOff={older === null}
          onPress={() => go(older)}
        />
        <IconButton icon={X} label="Close" shortcut="Esc" onPress={close} />
      </div>
      <MessageDetail key={id} id={id} initial={rows[index]} />
    </aside>
  )
}

interface IconButtonProps {
  icon: LucideIcon
  label: string
  shortcut: string
  isOff?: boolean
  onPress: () => void
}

function IconButton({ icon: Icon, label, shortcut, isOff, onPress }: IconButtonProps) {
  return (
    <button
      type="button"
      onClick={onPress}
      aria-label={label}
      aria-disabled={isOff || undefined}
      title={`${label} (${shortcut})`}
      className="inline-flex size-8 cursor-pointer items-center justify-center rounded-md text-ink-2 hover:bg-hover aria-disabled:cursor-not-allowed aria-disabled:text-ink-off pointer-coarse:size-11"
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  )
}
