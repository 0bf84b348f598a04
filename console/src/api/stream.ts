// The live stream: its events refresh the affected queries at most four times a second, so nothing polls and
// nothing floods.

import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { setServiceNow } from '../lib/service-time'
import { EVENTS, refetch, refetchAll } from './changes'
import { CONNECTING, type LiveConnection, type RawEvent, type StreamState } from './connection'
import { checkSession, sessionQuery } from './session'
import { connectShared } from './shared-connection'

const GATHER_MS = 250

/** An event from the stream. Its data depends on its type. */
export interface LiveEvent {
  /** Null for events that only report a current value, such as the balance. */
  id: string | null
  eventType: string
  campaignId: string | null
  // biome-ignore lint/suspicious/noExplicitAny: the shape of the data depends on the type, which listeners know
  data: any
}

let state = CONNECTING
let running: LiveConnection | null = null
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

/** Each event as it arrives, for pages that animate it instead of refetching. */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function retryStream(): void {
  running?.retryNow()
}

export function startStream(client: QueryClient, accountId: string): { close: () => void } {
  const gather = gatherEvents(client)
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
    // Data read before the connection opened may be stale.
    if (next.kind === 'live' && before.kind !== 'live') {
      refetchAll(client)
    }
    // The stream cannot report why it ended or was refused. An ended session and a changed role are permanent reasons.
    if (next.kind !== 'connecting' && before.lostAt !== null) {
      void checkSession(client.getQueryData(sessionQuery.queryKey))
    }
  }
  const types = Object.keys(EVENTS)
  running = connectShared(`longcode:stream:${accountId}`, { types, after: null, onEvent, onState })
  return {
    close: () => {
      running?.close()
      running = null
    },
  }
}

/** Refetches the queries that a few events affect, in one go. */
function gatherEvents(client: QueryClient): (type: string) => void {
  const waiting = new Set<string>()
  let isWaiting = false
  const flush = (): void => {
    isWaiting = false
    refetch(client, [...waiting])
    waiting.clear()
  }
  return (type) => {
    for (const name of EVENTS[type] ?? []) waiting.add(name)
    if (isWaiting) return
    isWaiting = true
    setTimeout(flush, GATHER_MS)
  }
}
