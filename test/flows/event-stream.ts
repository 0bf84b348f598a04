// Reads GET /v1/events/stream as a client would, over a socket.

import type { TestContext } from 'node:test'
import { eventually, type TestService } from '../harness.js'

export interface StreamEvent {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events without types
  data: any
}

export interface Stream {
  status: number
  headers: Headers
  events: StreamEvent[]
  /** Events that report the current state and have no ID. */
  states: Omit<StreamEvent, 'id'>[]
  ended: Promise<void>
  close: () => void
}

export interface StreamOptions {
  lastEventId?: string
  query?: string
  token?: string
  /** Instead of a token. */
  cookie?: string
}

export async function openStream(
  t: TestContext,
  service: TestService,
  base: string,
  options: StreamOptions = {},
): Promise<Stream> {
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const response = await fetch(`${base}/v1/events/stream${options.query ?? ''}`, {
    headers: {
      ...(options.cookie
        ? { cookie: options.cookie }
        : { authorization: `Bearer ${options.token ?? service.token}` }),
      ...(options.lastEventId && { 'last-event-id': options.lastEventId }),
    },
    signal: stopping.signal,
  })
  const events: StreamEvent[] = []
  const states: Omit<StreamEvent, 'id'>[] = []
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const fields = new Map(lines.map((line) => line.split(/: (.*)/s) as [string, string]))
        const [id, event, data] = ['id', 'event', 'data'].map((name) => fields.get(name))
        if (data === undefined) continue
        const said = { event: event!, data: JSON.parse(data) }
        if (id) events.push({ id, ...said })
        else states.push(said)
      }
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    events,
    states,
    ended: read().catch(() => {}),
    close: () => stopping.abort(),
  }
}

export function heard(stream: Stream, count: number): Promise<unknown> {
  return eventually(async () => stream.events.length >= count, `${count} events`)
}

/** The next of these, or one that came since this many were seen. */
export function told(stream: Stream, name: string, seen = 0) {
  return eventually(
    async () => stream.states.filter(({ event }) => event === name)[seen]?.data,
    `${name} ${seen + 1}`,
  )
}
