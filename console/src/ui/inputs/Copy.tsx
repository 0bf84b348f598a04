// Copy buttons, and values to copy: ids and phone numbers are formatted for people and copied for
// programs.

import { Check, Copy as CopyIcon } from 'lucide-react'
import { useRef, useState } from 'react'
import { formatPhone } from '../../lib/format'

const SHOWN_MS = 1_200

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isDone, setDone] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const copy = async () => {
    await copyText(text)
    setDone(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setDone(false), SHOWN_MS)
  }
  const Icon = isDone ? Check : CopyIcon
  return (
    <button
      type="button"
      onClick={() => void copy()}
      className="inline-flex size-6 pointer-coarse:size-11 shrink-0 cursor-pointer items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink"
      aria-label={`Copy ${label}`}
    >
      <Icon size={14} aria-hidden="true" />
      <span role="status" className="sr-only">
        {isDone ? 'Copied' : ''}
      </span>
    </button>
  )
}

// A page loaded over plain http has no clipboard API.
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

export function Id({ id }: { id: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <span className="truncate font-mono text-sm text-ink-2">{id}</span>
      <CopyButton text={id} label={id} />
    </span>
  )
}

export function Phone({ phone }: { phone: string }) {
  return <span className="whitespace-nowrap">{formatPhone(phone)}</span>
}
