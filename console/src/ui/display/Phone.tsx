// A sandbox phone on the screen: shows its messages, replies, and buzzes when a message arrives. Each sender has a
// thread, as on any phone.

import { useQuery } from '@tanstack/react-query'
import { ChevronLeft } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { handsetQuery } from '../../api/queries'
import { formatPhone } from '../../lib/format'
import { type PhoneThread, phoneThreads } from '../../lib/phone-threads'
import { carrierOf, isLandline } from '../../lib/sandbox'
import { useServiceNow } from '../../lib/service-time'
import { ErrorNotice } from '../feedback/Notice'
import { PhoneComposer, PhoneTexts } from './PhoneTexts'

interface PhoneProps {
  phone: string
  /** Numbers it can text before it has received anything. The first is the default. */
  ourNumbers: readonly string[]
  emptyText?: string
  /** Highlighted among several phones. */
  isChosen?: boolean
  onArrive?: () => void
}

const BUZZ_MS = 400

export function PhoneScreen({ phone, ourNumbers, emptyText, isChosen, onArrive }: PhoneProps) {
  const { data, error, refetch } = useQuery(handsetQuery(phone))
  const threads = phoneThreads(data?.messages ?? [])
  const isBuzzing = useArrival(threads, data !== undefined, onArrive)
  return (
    <section
      aria-label={`Phone ${formatPhone(phone)}`}
      className={`flex h-115 w-full max-w-75 flex-col overflow-hidden rounded-phone border-4 bg-surface ${isChosen ? 'border-accent' : 'border-line'} ${isBuzzing ? 'animate-buzz' : ''}`}
    >
      <StatusBar phone={phone} isConnecting={!data && !error} />
      {isLandline(phone) ? (
        <Landline />
      ) : error ? (
        <div className="p-3">
          <ErrorNotice
            error={error}
            hint="The simulator did not respond."
            onRetry={() => void refetch()}
          />
        </div>
      ) : (
        <Inbox
          phone={phone}
          threads={threads}
          ourNumbers={ourNumbers}
          emptyText={emptyText ?? 'No messages yet'}
        />
      )}
    </section>
  )
}

interface InboxProps {
  phone: string
  threads: readonly PhoneThread[]
  ourNumbers: readonly string[]
  emptyText: string
}

/** A single thread directly, or a list of threads and the chosen one. */
function Inbox({ phone, threads, ourNumbers, emptyText }: InboxProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const isList = threads.length > 1 && !threads.some(({ number }) => number === chosen)
  if (isList) return <ThreadList threads={threads} onChoose={setChosen} />
  const open = threads.find(({ number }) => number === chosen) ?? threads[0]
  return (
    <>
      {threads.length > 1 && open ? (
        <button
          type="button"
          onClick={() => setChosen(null)}
          aria-label={`All ${threads.length} threads of ${formatPhone(phone)}`}
          className="flex min-h-8 cursor-pointer items-center gap-1 border-b border-line px-2 text-sm text-accent-ink hover:bg-hover pointer-coarse:min-h-11"
        >
          <ChevronLeft size={16} aria-hidden="true" />
          {formatPhone(open.number)}
        </button>
      ) : null}
      <PhoneTexts texts={open?.texts ?? []} emptyText={emptyText} />
      <PhoneComposer phone={phone} numbers={open ? [open.number] : ourNumbers} />
    </>
  )
}

interface ThreadListProps {
  threads: readonly PhoneThread[]
  onChoose: (number: string) => void
}

function ThreadList({ threads, onChoose }: ThreadListProps) {
  return (
    <ul aria-label="Threads" className="flex-1 overflow-y-auto">
      {threads.map(({ number, texts }) => (
        <li key={number} className="border-b border-line">
          <button
            type="button"
            onClick={() => onChoose(number)}
            className="flex min-h-14 w-full cursor-pointer flex-col justify-center px-4 py-2 text-left hover:bg-hover"
          >
            <span className="font-medium">{formatPhone(number)}</span>
            <span className="w-full truncate text-sm text-ink-2" dir="auto">
              {texts.at(-1)?.body.slice(0, 80)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** True briefly after a message arrives. Messages that were already there do not count. */
function useArrival(
  threads: readonly PhoneThread[],
  isLoaded: boolean,
  onArrive: (() => void) | undefined,
): boolean {
  const landed = threads.flatMap(({ texts }) =>
    texts.filter(({ direction }) => direction === 'OUTBOUND').map(({ id }) => id),
  )
  const newest = landed.sort().at(-1) ?? null
  const lastId = useRef<string | null | undefined>(undefined)
  const notify = useRef(onArrive)
  notify.current = onArrive
  const [isBuzzing, setBuzzing] = useState(false)
  useEffect(() => {
    if (!isLoaded) return
    const isNew = lastId.current !== undefined && lastId.current !== newest && newest !== null
    lastId.current = newest
    if (!isNew) return
    notify.current?.()
    setBuzzing(true)
    const timer = setTimeout(() => setBuzzing(false), BUZZ_MS)
    return () => clearTimeout(timer)
  }, [newest, isLoaded])
  return isBuzzing
}

function StatusBar({ phone, isConnecting }: { phone: string; isConnecting: boolean }) {
  const now = useServiceNow()
  return (
    <div className="bg-sunken px-4 pt-2 pb-2">
      <div className="flex justify-between text-xs text-ink-2">
        <span>{now.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })}</span>
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
