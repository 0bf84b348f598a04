// The rows of the live message list: the newest page follows the live stream, older ones load on demand, and events
// update single rows.

import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Message } from '../../../generated/types.gen'
import { useHeldQuery } from '../../api/held-queries'
import { type MessageSearch, searchQueryOf } from '../../api/queries'
import { request } from '../../api/request'
import { onLiveEvent } from '../../api/stream'
import { serviceNow } from '../../lib/service-time'
import { matches } from './matches'
import {
  firstRows,
  paused,
  type Rows,
  released,
  shownOf,
  waitingOf,
  withArrival,
  withChange,
  withHead,
  withOlder,
} from './rows'

const PAGE = 100
const GATHER_MS = 250
/** Scrolled this far from the top, someone is reading. */
const SCROLLED_PX = 8

interface LoadedList {
  /** The filter that the rows belong to. */
  of: string
  rows: Rows
  /** The newest row when the list was opened. */
  first: string
}

function search(filter: MessageSearch, after: string | null, signal?: AbortSignal) {
  return request('GET /v1/message/search', {
    query: { ...searchQueryOf(filter), limit: PAGE, after },
    ...(signal && { signal }),
  })
}

export function useMessageRows(filter: MessageSearch, isHeld: boolean) {
  const of = JSON.stringify(filter)
  const queryKey = ['messages', 'head', filter]
  useHeldQuery(queryKey, isHeld)
  const head = useQuery({
    queryKey,
    queryFn: ({ signal }) => search(filter, null, signal),
  })
  const [loaded, setLoaded] = useState<LoadedList | null>(null)
  const change = (make: (rows: Rows) => Rows) =>
    setLoaded((now) => (now?.of === of ? { ...now, rows: make(now.rows) } : now))

  const { data } = head
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per response; paused rows are kept below
  useEffect(() => {
    if (!data) return
    setLoaded((now) => {
      if (now?.of === of) return { ...now, rows: withHead(now.rows, data, isHeld) }
      const rows = firstRows(data)
      return { of, rows: isHeld ? paused(rows) : rows, first: rows.list[0]?.id ?? '' }
    })
  }, [data, of])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when someone starts or stops reading
  useEffect(() => change((rows) => (isHeld ? paused(rows) : released(rows, data))), [isHeld])
  useChanges((messages) => {
    const arrived = messages.filter((message) => matches(message, filter, serviceNow()))
    change((rows) => arrived.reduce(withArrival, messages.reduce(withChange, rows)))
  })

  const older = useMutation({
    mutationFn: (after: string) => search(filter, after),
    onSuccess: (page) => change((rows) => withOlder(rows, page)),
  })
  const next = loaded?.rows.next ?? null
  return {
    rows: loaded ? shownOf(loaded.rows) : [],
    waiting: loaded ? waitingOf(loaded.rows) : { count: 0, failed: 0 },
    hasGap: loaded?.rows.hasGap ?? false,
    isLoaded: loaded !== null,
    /** The newest row when the list was opened. */
    first: loaded?.first ?? '',
    /** These rows belong to the previous filter. */
    isPlaceholderData: loaded !== null && loaded.of !== of,
    error: head.error ?? older.error,
    refetch: head.refetch,
    hasNextPage: next !== null,
    isFetchingNextPage: older.isPending,
    isFetchNextPageError: !head.error && older.error !== null,
    fetchNextPage: () => {
      if (next !== null && !older.isPending) older.mutate(next)
    },
    /** Reads the list again and shows the waiting rows. */
    release: () =>
      void head.refetch().then(({ data: fresh }) => {
        if (fresh) change((rows) => paused(withHead({ ...rows, top: null }, fresh, false)))
      }),
  }
}

/** New messages and status changes, batched, so a flood is drawn four times a second. */
function useChanges(onChanges: (messages: readonly Message[]) => void): void {
  const latest = useRef(onChanges)
  latest.current = onChanges
  useEffect(() => {
    const gathered = new Map<string, Message>()
    let timer: ReturnType<typeof setTimeout> | null = null
    const flush = () => {
      timer = null
      latest.current([...gathered.values()])
      gathered.clear()
    }
    const unlisten = onLiveEvent(({ eventType, data }) => {
      if (eventType !== 'message.status' && eventType !== 'message.incoming') return
      gathered.set(data.message.id, data.message)
      timer ??= setTimeout(flush, GATHER_MS)
    })
    return () => {
      unlisten()
      if (timer) clearTimeout(timer)
    }
  }, [])
}

export function useScrolled(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      addEventListener('scroll', watcher, { passive: true })
      return () => removeEventListener('scroll', watcher)
    },
    () => scrollY > SCROLLED_PX,
  )
}
