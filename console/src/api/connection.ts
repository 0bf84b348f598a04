// One connection to the live stream: it reconnects with a growing delay and resumes where it broke off. It
// reports events and its own state. It does not know who listens.

const WAIT_MS = { first: 1_000, max: 30_000 }

export interface StreamState {
  kind: 'connecting' | 'live' | 'lost'
  /** When the connection was lost, by the browser's clock. */
  lostAt: number | null
  retryAt: number | null
  /** How many changes arrived after reconnecting. Null: some may be missing. */
  caughtUp: number | null
  resumedAt: number | null
}

export const CONNECTING: StreamState = {
  kind: 'connecting',
  lostAt: null,
  retryAt: null,
  caughtUp: null,
  resumedAt: null,
}

/** An event as received: its type, its id if it has one, and its data as text. */
export interface RawEvent {
  type: string
  id: string
  data: string
}

export interface ConnectionOptions {
  types: readonly string[]
  /** The last event received, to resume after it. */
  after: string | null
  onEvent: (event: RawEvent) => void
  onState: (state: StreamState) => void
}

export interface LiveConnection {
  retryNow: () => void
  close: () => void
}

export function connect({ types, after, onEvent, onState }: ConnectionOptions): LiveConnection {
  let state = CONNECTING
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let waitMs = WAIT_MS.first
  let lastEventId = after
  const set = (change: Partial<StreamState>): void => {
    state = { ...state, ...change }
    onState(state)
  }
  const open = (): void => {
    clearTimeout(timer)
    source?.close()
    const query = lastEventId ? `?lastEventId=${encodeURIComponent(lastEventId)}` : ''
    source = new EventSource(`/v1/events/stream${query}`)
    source.addEventListener('heartbeat', ({ data }) => {
      waitMs = WAIT_MS.first
      onEvent({ type: 'heartbeat', id: '', data })
      if (state.kind !== 'live') set({ kind: 'live', lostAt: null, retryAt: null })
    })
    source.addEventListener('resumed', ({ data }) => {
      const { caughtUp, isComplete } = JSON.parse(data)
      set({ caughtUp: isComplete ? caughtUp : null, resumedAt: Date.now() })
    })
    for (const type of types) source.addEventListener(type, hear)
    source.onerror = lose
  }
  const hear = ({ data, lastEventId: id, type }: MessageEvent): void => {
    if (id) lastEventId = id
    onEvent({ type, id, data })
  }
  // The browser would reconnect at once and forever. We wait longer each time and show it.
  const lose = (): void => {
    source?.close()
    const delay = waitMs * (0.75 + Math.random() / 2)
    waitMs = Math.min(waitMs * 2, WAIT_MS.max)
    set({ kind: 'lost', lostAt: state.lostAt ?? Date.now(), retryAt: Date.now() + delay })
    timer = setTimeout(open, delay)
  }
  const wake = (): void => {
    if (document.visibilityState === 'visible' && state.kind === 'lost') open()
  }
  document.addEventListener('visibilitychange', wake)
  open()
  return {
    retryNow: open,
    close: () => {
      clearTimeout(timer)
      source?.close()
      document.removeEventListener('visibilitychange', wake)
    },
  }
}
