// Short messages about something that left the screen: at most three, for six seconds, longer on hover. The result
// of a form is never shown here.

import { X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'

const SHOWN_MS = 6_000
const MOST = 3

interface ToastAction {
  label: string
  run: () => void
}
interface Entry {
  id: number
  text: string
  action: ToastAction | null
}

let entries: readonly Entry[] = []
let lastId = 0
const watchers = new Set<() => void>()

function set(next: readonly Entry[]): void {
  entries = next.slice(-MOST)
  for (const watcher of watchers) watcher()
}

export function toast(text: string, action: ToastAction | null = null): void {
  lastId += 1
  set([...entries, { id: lastId, text, action }])
}

const dismiss = (id: number) => set(entries.filter((entry) => entry.id !== id))

function subscribe(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => entries)
  return (
    <div
      role="status"
      className="fixed right-4 bottom-20 z-20 flex max-w-[calc(100vw-2rem)] flex-col gap-2 md:bottom-4"
    >
      {shown.map((entry) => (
        <OneToast key={entry.id} entry={entry} />
      ))}
    </div>
  )
}

function OneToast({ entry: { id, text, action } }: { entry: Entry }) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => dismiss(id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, isHeld])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only pauses the timer on hover
    <div
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="flex items-center gap-2 rounded-md border border-line bg-raised py-1 pr-1 pl-3 shadow-pop"
    >
      <span className="min-w-0 flex-1 wrap-anywhere">{text}</span>
      {action ? (
        <button
          type="button"
          className="min-h-8 cursor-pointer rounded-sm px-2 font-medium text-accent-ink hover:bg-hover pointer-coarse:min-h-11"
          onClick={() => {
            dismiss(id)
            action.run()
          }}
        >
          {action.label}
        </button>
      ) : null}
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismiss(id)}
        className="inline-flex size-8 cursor-pointer items-center justify-center rounded-sm text-ink-3 hover:bg-hover pointer-coarse:size-11"
      >
        <X size={14} aria-hidden="true" />
      </button>
    </div>
  )
}
