// The live stream: one for the whole page. What it tells makes the queries concerned read again, at most
// four times a second, so nothing polls and nothing floods.

import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { setServiceNow } from '../lib/service-time'

const GATHER_MS = 250
const WAIT_MS = { first: 1_000, max: 30_000 }

/** An event as the stream sends it; its data depends on its type. */
export interface LiveEvent {
  /** Null where it only says how things stand: the balance. */
  id: string | null
  eventType: string
  campaignId: string | null
  // biome-ignore lint/suspicious/noExplicitAny: each type has data of its own; who listens knows which
  data: any
}

export interface StreamState {
  kind: 'connecting' | 'live' | 'lost'
  /** When the connection was lost, by the browser's clock. */
  lostAt: number | null
  retryAt: number | null
  /** How many changes came after the connection was back; null: some may be missing. */
  caughtUp: number | null
  resumedAt: number | null
}

/** Which queries are concerned by an event, by the first word of their key. */
const CONCERNS: Record<string, readonly string[]> = {
  'message.incoming': ['messages', 'conversations', 'stats', 'handset', 'optouts'],
  'message.status': ['messages', 'conversations', 'stats', 'handset', 'limits'],
  'recipient.optout': ['optouts', 'conversations', 'messages', 'stats'],
  'brand.changed': ['brands', 'campaigns'],
  'campaign.changed': ['campaigns', 'limits'],
  'number.changed': ['numbers', 'campaigns'],
  'webhook.changed': ['webhooks'],
  'balance.changed': ['account', 'ledger'],
}
const TYPES = Object.keys(CONCERNS)

let state: StreamState = {
  kind: 'connecting',
  lostAt: null,
  retryAt: null,
  caughtUp: null,
  resumedAt: null,
}
const watchers = new Set<() => void>()
const listeners = new Set<(event: LiveEvent) => void>()

function setState(change: Partial<StreamState>): void {
  state = { ...state, ...change }
  for (const watcher of watchers) watcher()
}

export function useStreamState(): StreamState {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => state,
  )
}

/** Each event as it comes, for what has to move rather than read again. */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export interface RunningStream {
  retryNow: () => void
  close: () => void
}

let running: RunningStream | null = null

export function retryStream(): void {
  running?.retryNow()
}

export function startStream(client: QueryClient): RunningStream {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let waitMs = WAIT_MS.first
  let lastEventId: string | null = null
  const gather = gatherConcerns(client)

  const open = (): void => {
    clearTimeout(timer)
    source?.close()
    const query = lastEventId ? `?lastEventId=${encodeURIComponent(lastEventId)}` : ''
    source = new EventSource(`/v1/events/stream${query}`)
    source.addEventListener('heartbeat', ({ data }) => {
      setServiceNow(JSON.parse(data).now)
      waitMs = WAIT_MS.first
      if (state.kind !== 'live') {
        setState({ kind: 'live', lostAt: null, retryAt: null })
        // A first connection has missed nothing that a query would not show.
        void client.invalidateQueries({ refetchType: 'active', predicate: isOfData })
      }
    })
    source.addEventListener('resumed', ({ data }) => {
      const { caughtUp, isComplete } = JSON.parse(data)
      setState({ caughtUp: isComplete ? caughtUp : null, resumedAt: Date.now() })
    })
    for (const type of TYPES) source.addEventListener(type, hear)
    source.onerror = lose
  }
  const hear = ({ data, lastEventId: id, type }: MessageEvent): void => {
    if (id) lastEventId = id
    const body = JSON.parse(data)
    const event = { id: null, eventType: type, campaignId: null, ...body }
    gather(type)
    for (const listener of listeners) listener(event)
  }
  // The browser would try again by itself, at once and for ever: we wait longer each time and say so.
  const lose = (): void => {
    source?.close()
    const delay = waitMs * (0.75 + Math.random() / 2)
    waitMs = Math.min(waitMs * 2, WAIT_MS.max)
    setState({ kind: 'lost', lostAt: state.lostAt ?? Date.now(), retryAt: Date.now() + delay })
    timer = setTimeout(open, delay)
  }
  const wake = (): void => {
    if (document.visibilityState === 'visible' && state.kind === 'lost') open()
  }
  document.addEventListener('visibilitychange', wake)
  open()
  running = {
    retryNow: open,
    close: () => {
      clearTimeout(timer)
      source?.close()
      document.removeEventListener('visibilitychange', wake)
      running = null
    },
  }
  return running
}

function isOfData({ queryKey }: { queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== 'session'
}

/** Reads again what a few events concern, together. */
function gatherConcerns(client: QueryClient): (type: string) => void {
  const waiting = new Set<string>()
  let isWaiting = false
  const flush = (): void => {
    isWaiting = false
    const names = [...waiting]
    waiting.clear()
    for (const name of names) void client.invalidateQueries({ queryKey: [name] })
  }
  return (type) => {
    for (const name of CONCERNS[type] ?? []) waiting.add(name)
    if (isWaiting) return
    isWaiting = true
    setTimeout(flush, GATHER_MS)
  }
}
