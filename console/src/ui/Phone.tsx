// A phone of the sandbox on the screen: shows what was sent to it, answers, and buzzes when a text lands.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { SendHorizontal } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Message } from '../../generated/types.gen'
import { call } from '../api/call'
import { handsetQuery } from '../api/queries'
import { formatPhone } from '../lib/format'
import { carrierOf, isLandline } from '../lib/sandbox'
import { useServiceNow } from '../lib/service-time'
import { ErrorNotice } from './Notice'

/** What stays on the phone: what arrived, and what was written on it. */
const ARRIVED = new Set(['DELIVERED', 'READ'])
const QUICK = ['STOP', 'HELP', '👍']

interface PhoneProps {
  phone: string
  /** Whom it writes to before anybody has written to it. */
  ourNumber: string | null
}

export function PhoneScreen({ phone, ourNumber }: PhoneProps) {
  const { data, error, refetch } = useQuery(handsetQuery(phone))
  const texts = (data?.messages ?? []).filter(isOnPhone).reverse()
  const lastFrom = texts.findLast(({ direction }) => direction === 'OUTBOUND')?.from
  const buzz = useBuzz(texts)
  const talksTo = lastFrom ?? ourNumber
  return (
    <section
      aria-label={`Phone ${formatPhone(phone)}`}
      className={`flex h-115 w-full max-w-75 flex-col overflow-hidden rounded-phone border-4 border-line bg-surface ${buzz ? 'animate-buzz' : ''}`}
    >
      <StatusBar phone={phone} isConnecting={!data && !error} />
      {isLandline(phone) ? (
        <Landline />
      ) : (
        <>
          {error ? (
            <div className="p-3">
              <ErrorNotice error={error} onRetry={() => void refetch()} />
            </div>
          ) : (
            <Texts texts={texts} />
          )}
          <Composer phone={phone} talksTo={talksTo} />
        </>
      )}
    </section>
  )
}

function isOnPhone({ direction, status }: Message): boolean {
  return direction === 'INBOUND' || ARRIVED.has(status)
}

/** True for a moment after a text has landed. */
function useBuzz(texts: readonly Message[]): boolean {
  const newest = texts.findLast(({ direction }) => direction === 'OUTBOUND')?.id ?? null
  const known = useRef<string | null | undefined>(undefined)
  const [isBuzzing, setBuzzing] = useState(false)
  useEffect(() => {
    const isNew = known.current !== undefined && known.current !== newest && newest !== null
    known.current = newest
    if (!isNew) return
    setBuzzing(true)
    const timer = setTimeout(() => setBuzzing(false), 400)
    return () => clearTimeout(timer)
  }, [newest])
  return isBuzzing
}

function StatusBar({ phone, isConnecting }: { phone: string; isConnecting: boolean }) {
  const now = useServiceNow()
  return (
    <div className="bg-sunken px-4 pt-2 pb-2">
      <div className="flex justify-between text-xs text-ink-2">
        <span>{now.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}</span>
        <span>{isConnecting ? 'connecting…' : carrierOf(phone)}</span>
      </div>
      <p className="text-center font-semibold">{formatPhone(phone)}</p>
    </div>
  )
}

function Landline() {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center text-ink-2">
      <svg width="88" height="88" viewBox="0 0 88 88" fill="none" aria-hidden="true">
        <path d="M14 34c0-9 13-14 30-14s30 5 30 14v6H58v-6H30v6H14z" className="fill-wait-solid" />
        <rect x="24" y="42" width="40" height="30" rx="6" className="fill-line-strong" />
        <circle cx="44" cy="56" r="9" className="fill-surface" />
        <path
          d="M66 66c8 0 8 6 2 6s-6 6 2 6 8 6 2 6"
          className="stroke-line-strong"
          strokeWidth="2.5"
        />
      </svg>
      <p>Texts can’t reach a landline.</p>
    </div>
  )
}

function Texts({ texts }: { texts: readonly Message[] }) {
  const end = useRef<HTMLDivElement>(null)
  const count = texts.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows each new text
  useEffect(() => {
    end.current?.scrollTo({ top: end.current.scrollHeight })
  }, [count])
  return (
    <div
      ref={end}
      role="log"
      aria-label="Texts"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="flex flex-1 flex-col gap-2 overflow-y-auto p-3"
    >
      {count === 0 ? (
        <p className="m-auto text-ink-3">No messages yet</p>
      ) : (
        texts.map((text) => <Bubble key={text.id} text={text} />)
      )}
    </div>
  )
}

// On the phone, what it wrote is on the right.
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

function Composer({ phone, talksTo }: { phone: string; talksTo: string | null }) {
  const [body, setBody] = useState('')
  const [error, setError] = useState<unknown>(null)
  const client = useQueryClient()
  const write = async (text: string) => {
    if (talksTo === null || text.trim() === '') return
    setError(null)
    try {
      await call('POST', '/sandbox/inbound', { body: { from: phone, to: talksTo, body: text } })
      setBody((now) => (now === text ? '' : now))
      await client.invalidateQueries({ queryKey: ['handset', phone] })
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
