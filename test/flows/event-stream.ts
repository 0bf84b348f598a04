// Reads GET /v1/events/stream as a client would, over a socket.

import type { TestContext } from 'node:test'
import { eventually, type TestService } from '../harness.js'

export interface StreamEvent {
  id: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  data: any
}

export interface Stream {
  status: number
  headers: Headers
  events: StreamEvent[]
  comments: string[]
  ended: Promise<void>
  close: () => void
}

export interface StreamOptions {
  lastEventId?: string
  query?: string
  token?: string
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
      authorization: `Bearer ${options.token ?? service.token}`,
      ...(options.lastEventId && { 'last-event-id': options.lastEventId }),
    },
    signal: stopping.signal,
  })
  const events: StreamEvent[] = []
  const comments: string[] = []
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const fields = new Map(lines.map((line) => line.split(/: (.*)/s) as [string, string]))
        for (const line of lines) if (line.startsWith(':')) comments.push(line)
        const [id, event, data] = ['id', 'event', 'data'].map((name) => fields.get(name))
        if (id) events.push({ id, event: event!, data: JSON.parse(data!) })
      }
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    events,
    comments,
    ended: read().catch(() => {}),
    close: () => stopping.abort(),
  }
}

export function heard(stream: Stream, count: number): Promise<unknown> {
  return eventually(async () => stream.events.length >= count, `${count} events`)
}
