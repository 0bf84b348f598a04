// The messages of a phone, and the field to reply.

import { Phone, SendHorizontal } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Message } from '../../../generated/types.gen'
import { request } from '../../api/request'
import { formatPhone } from '../../lib/format'
import { ErrorNotice } from '../feedback/Notice'
import { Select } from '../inputs/Field'

const QUICK = ['STOP', 'HELP', '👍']

interface TextsProps {
  texts: readonly Message[]
  emptyText: string
}

export function PhoneTexts({ texts, emptyText }: TextsProps) {
  const end = useRef<HTMLDivElement>(null)
  const count = texts.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to each new text
  useEffect(() => {
    end.current?.scrollTo({ top: end.current.scrollHeight })
  }, [count])
  return (
    <div
      ref={end}
      role="log"
      aria-label="Messages"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard
      tabIndex={0}
      className="flex flex-1 flex-col gap-2 overflow-y-auto p-3"
    >
      {count === 0 ? (
        <p className="m-auto px-2 text-center text-ink-3">{emptyText}</p>
      ) : (
        texts.map((text) => <Bubble key={text.id} text={text} />)
      )}
    </div>
  )
}

// On the phone, its own messages are on the right.
function Bubble({ text }: { text: Message }) {
  const isOwn = text.direction === 'INBOUND'
  return (
    <p
      dir="auto"
      className={`max-w-[85%] rounded-lg px-3 py-1.5 wrap-anywhere whitespace-pre-wrap ${
        isOwn ? 'self-end bg-bubble-out text-on-bubble-out' : 'self-start bg-bubble-in text-ink'
      }`}
    >
      {text.body}
    </p>
  )
}

interface ComposerProps {
  phone: string
  /** Numbers it can text. The first is the default. */
  numbers: readonly string[]
}

export function PhoneComposer({ phone, numbers }: ComposerProps) {
  const [chosen, setChosen] = useState('')
  const talksTo = numbers.includes(chosen) ? chosen : (numbers[0] ?? null)
  const [body, setBody] = useState('')
  const [heard, setHeard] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const write = async (text: string) => {
    if (talksTo === null || text.trim() === '') return
    setError(null)
    setHeard(null)
    try {
      await request('POST /sandbox/inbound', { body: { from: phone, to: talksTo, body: text } })
      setBody((now) => (now === text ? '' : now))
    } catch (failure) {
      setError(failure)
    }
  }
  const ring = async () => {
    if (talksTo === null) return
    setError(null)
    setHeard(null)
    try {
      const placed = await request('POST /sandbox/call', { body: { from: phone, to: talksTo } })
      setHeard(placed.heard)
    } catch (failure) {
      setError(failure)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void write(body)
  }
  if (talksTo === null) {
    return (
      <p className="border-t border-line p-3 text-center text-sm text-ink-3">
        No number to text yet
      </p>
    )
  }
  return (
    <form onSubmit={submit} className="border-t border-line p-2">
      {error ? <ErrorNotice error={error} isAnswer /> : null}
      <p role="status" className="mb-2 text-sm text-ink-2 empty:hidden">
        {heard}
      </p>
      {numbers.length > 1 ? (
        <div className="mb-2">
          <Select
            aria-label="To"
            value={talksTo}
            options={numbers.map((value) => ({ value, label: `To ${formatPhone(value)}` }))}
            onChange={(event) => setChosen(event.target.value)}
          />
        </div>
      ) : null}
      <div className="mb-2 flex gap-1">
        {QUICK.map((text) => (
          <button
            key={text}
            type="button"
            onClick={() => void write(text)}
            className="min-h-6 cursor-pointer rounded-md border border-line px-2 text-xs text-ink-2 hover:bg-hover pointer-coarse:min-h-11"
          >
            {text}
          </button>
        ))}
        <button
          type="button"
          onClick={() => void ring()}
          aria-label={`Call ${formatPhone(talksTo)}`}
          className="ml-auto inline-flex min-h-6 cursor-pointer items-center gap-1 rounded-md border border-line px-2 text-xs text-ink-2 hover:bg-hover pointer-coarse:min-h-11"
        >
          <Phone size={12} aria-hidden="true" /> Call
        </button>
      </div>
      <div className="flex gap-1">
        <input
          value={body}
          onChange={(event) => setBody(event.target.value)}
          aria-label={`Text to ${formatPhone(talksTo)}`}
          placeholder={`Text ${formatPhone(talksTo)}`}
          maxLength={10_000}
          className="min-h-8 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2 text-base placeholder:text-ink-3 pointer-coarse:min-h-11 pointer-coarse:text-lg"
        />
        <button
          type="submit"
          aria-label="Send"
          className="inline-flex size-8 cursor-pointer items-center justify-center rounded-md bg-accent text-on-accent hover:bg-accent-hover pointer-coarse:size-11"
        >
          <SendHorizontal size={16} aria-hidden="true" />
        </button>
      </div>
    </form>
  )
}
