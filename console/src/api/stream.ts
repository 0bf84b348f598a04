// The live stream: what it tells makes the queries concerned read again, at most four times a second, so
// nothing polls and nothing floods.

import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { setServiceNow } from '../lib/service-time'
import { CONNECTING, type Connection, type RawEvent, type StreamState } from './connection'
import { checkSession } from './session'
import { connectShared } from './shared-connection'

const GATHER_MS = 250

/** An event as the stream sends it; its data depends on its type. */
export interface LiveEvent {
  /** Null where it only says how things stand: the balance. */
  id: string | null
  eventType: string
  campaignId: string | null
  // biome-ignore lint/suspicious/noExplicitAny: each type has data of its own; who listens knows which
  data: any
}

/** Which queries are concerned by an event, by the first word of their key. */
const CONCERNS: Record<string, readonly string[]> = {
  'message.incoming': ['messages', 'conversations', 'stats', 'handset', 'optouts', 'deliveries'],
  'message.status': ['messages', 'conversations', 'stats', 'handset', 'limits', 'deliveries'],
  'recipient.optout': ['optouts', 'conversations', 'messages', 'stats', 'deliveries'],
  'brand.changed': ['brands', 'campaigns', 'deliveries'],
  'campaign.changed': ['campaigns', 'limits', 'deliveries'],
  'number.changed': ['numbers', 'campaigns', 'deliveries'],
  'webhook.changed': ['webhooks', 'deliveries'],
  'balance.changed': ['account', 'ledger'],
}

let state = CONNECTING
let running: Connection | null = null
const watchers = new Set<() => void>()
const listeners = new Set<(event: LiveEvent) => void>()

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

export function retryStream(): void {
  running?.retryNow()
}

export function startStream(client: QueryClient, accountId: string): { close: () => void } {
  const gather = gatherConcerns(client)
  const onEvent = ({ type, data }: RawEvent): void => {
    const body = JSON.parse(data)
    if (type === 'heartbeat') {
      setServiceNow(body.now)
      return
    }
    gather(type)
    const event: LiveEvent = { id: null, eventType: type, campaignId: null, ...body }
    for (const listener of listeners) listener(event)
  }
  const onState = (next: StreamState): void => {
    const before = state
    state = next
    for (const watcher of watchers) watcher()
    // What was read before the connection stood may be old by now.
    if (next.kind === 'live' && before.kind !== 'live') {
      void client.invalidateQueries({ refetchType: 'active', predicate: isOfData })
    }
    // The stream cannot say why it was refused: a session that has ended is the one reason that stays.
    if (next.kind === 'lost' && before.lostAt !== null) void checkSession()
  }
  const types = Object.keys(CONCERNS)
  running = connectShared(`longcode:stream:${accountId}`, { types, after: null, onEvent, onState })
  return {
    close: () => {
      running?.close()
      running = null
    },
  }
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
