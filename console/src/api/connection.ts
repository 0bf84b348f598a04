// One connection to the live stream: opened, lost, opened again after a wait that grows, and resumed where
// it broke. It says what it hears and how it stands; who it is for does not concern it.

const WAIT_MS = { first: 1_000, max: 30_000 }

export interface StreamState {
  kind: 'connecting' | 'live' | 'lost'
  /** When the connection was lost, by the browser's clock. */
  lostAt: number | null
  retryAt: number | null
  /** How many changes came after the connection was back; null: some may be missing. */
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

/** An event as it came: its type, its id where it has one, and its data as text. */
export interface RawEvent {
  type: string
  id: string
  data: string
}

export interface ConnectionOptions {
  types: readonly string[]
  /** Where to go on, if something was heard before. */
  after: string | null
  onEvent: (event: RawEvent) => void
  onState: (state: StreamState) => void
}

export interface Connection {
  retryNow: () => void
  close: () => void
}

export function connect({ types, after, onEvent, onState }: ConnectionOptions): Connection {
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
  // The browser would try again by itself, at once and for ever: we wait longer each time and say so.
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
