// One live connection for all tabs of an account: the tab that holds the lock owns it and relays events to the
// others. When that tab closes, the next one gets the lock and resumes after the last event. Browsers allow six
// connections per host, so ten open tabs would otherwise leave none for requests.

import {
  CONNECTING,
  type ConnectionOptions,
  connect,
  type LiveConnection,
  type RawEvent,
  type StreamState,
} from './connection'

type Word =
  | { kind: 'event'; event: RawEvent }
  | { kind: 'state'; state: StreamState }
  | { kind: 'how-is-it' }
  | { kind: 'retry' }

export function connectShared(name: string, options: ConnectionOptions): LiveConnection {
  // Without locks (plain http from another machine), each tab opens its own connection.
  if (!('locks' in navigator) || !('BroadcastChannel' in globalThis)) return connect(options)
  const channel = new BroadcastChannel(name)
  const say = (word: Word): void => channel.postMessage(word)
  const leaving = new AbortController()
  let own: LiveConnection | null = null
  let state = CONNECTING
  let lastEventId = options.after
  const onEvent = (event: RawEvent): void => {
    if (event.id) lastEventId = event.id
    options.onEvent(event)
  }
  const onState = (next: StreamState): void => {
    state = next
    options.onState(next)
  }
  channel.onmessage = ({ data: word }: MessageEvent<Word>) => {
    if (word.kind === 'event') onEvent(word.event)
    else if (word.kind === 'state') onState(word.state)
    else if (own && word.kind === 'how-is-it') say({ kind: 'state', state })
    else if (own && word.kind === 'retry') own.retryNow()
  }
  const lead = (): Promise<void> => {
    own = connect({
      types: options.types,
      after: lastEventId,
      onEvent: (event) => {
        onEvent(event)
        say({ kind: 'event', event })
      },
      onState: (next) => {
        onState(next)
        say({ kind: 'state', state: next })
      },
    })
    return new Promise((resolve) => leaving.signal.addEventListener('abort', () => resolve()))
  }
  navigator.locks.request(name, { signal: leaving.signal }, lead).catch(() => null) // left before its turn
  say({ kind: 'how-is-it' })
  return {
    retryNow: () => (own ? own.retryNow() : say({ kind: 'retry' })),
    close: () => {
      leaving.abort()
      own?.close()
      channel.close()
    },
  }
}
