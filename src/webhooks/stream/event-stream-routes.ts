// GET /v1/events/stream: the account's events as server-sent events. A stream ends when its token
// does, when its reader falls too far behind, and when the service stops; the client then resumes.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bearerToken } from '../../accounts/authenticate.js'
import { hashToken } from '../../accounts/token.js'
import { findLiveToken } from '../../accounts/token-queries.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import { idFloor, isId } from '../../kit/ids.js'
import type { World } from '../../kit/world.js'
import { STREAM } from '../delivery-operations.js'
import type { DescribeMessages, EventBody } from '../event-body.js'
import { EventFeeds } from './event-feed.js'

const STREAMS_PER_ACCOUNT_MAX = 20
const HEARTBEAT_MS = 15_000
/** A revoked token must stop within five seconds. */
const TOKEN_CHECK_MS = 4_000
const UNREAD_BYTES_MAX = 1024 * 1024
/** How many events may gather while the stored ones are read. */
const WAITING_MAX = 10_000
/** Only what is newer than this can come both from the store and from the feed. */
const HANDOVER_MS = 10_000
const RETRY_MS = 1_000

type Options = World & { describeMessages: DescribeMessages }

export const eventStreamRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { describeMessages, ...world },
) => {
  const feeds = new EventFeeds(world, describeMessages)
  const open = new Set<ServerResponse>()
  // Open streams would hold the close of the server forever.
  app.addHook('preClose', async () => {
    for (const response of open) response.end()
  })

  app.get('/events/stream', STREAM, async (request, reply) => {
    const { accountId } = request.caller
    const lastEventId = request.query.lastEventId ?? request.headers['last-event-id']
    if (lastEventId !== undefined && !isId('evt', String(lastEventId))) {
      throw fieldRefusal('Last-Event-ID', 'must be the id of the last event that was seen')
    }
    if (feeds.countListeners(accountId) >= STREAMS_PER_ACCOUNT_MAX) {
      throw new Refusal('streams_too_many')
    }
    reply.hijack()
    const response = reply.raw
    response.writeHead(200, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no', // proxies that understand it do not hold events back
      // When the stream ends so does its connection: an idle one would hold the close of the server.
      connection: 'close',
    })
    response.write(`retry: ${RETRY_MS}\n`)
    open.add(response)
    const timers = keepAlive(world, response, bearerToken(request.headers.authorization))
    const unlisten = follow(world, feeds, accountId, lastEventId && String(lastEventId), response)
    response.on('close', () => {
      open.delete(response)
      for (const timer of timers) clearInterval(timer)
      unlisten()
    })
  })
}

function keepAlive(world: World, response: ServerResponse, token: string): NodeJS.Timeout[] {
  const beat = () => response.write(`: now ${world.clock.now().toISOString()}\n\n`)
  const check = async (): Promise<void> => {
    const live = await findLiveToken(world.db, hashToken(token), world.clock.now())
    if (live?.accountStatus !== 'ACTIVE') response.end()
  }
  beat()
  return [
    setInterval(beat, HEARTBEAT_MS),
    // A database that does not answer says nothing about the token.
    setInterval(() => void check().catch(() => {}), TOKEN_CHECK_MS),
  ]
}

/**
 * Listens first and then reads what is stored since the last seen event, so that nothing falls
 * between the two; what comes both ways is sent once.
 */
function follow(
  world: World,
  feeds: EventFeeds,
  accountId: string,
  lastEventId: string | undefined,
  response: ServerResponse,
): () => void {
  const now = world.clock.now()
  const floor = lastEventId ?? idFloor('evt', now)
  const recent = idFloor('evt', new Date(now.getTime() - HANDOVER_MS))
  const replayed = new Set<string>()
  let waiting: EventBody[] | null = lastEventId === undefined ? null : []
  const write = (events: readonly EventBody[]): void => {
    if (response.writableEnded) return
    for (const event of events) if (!replayed.has(event.id)) response.write(formatEvent(event))
    if (response.writableLength > UNREAD_BYTES_MAX) response.destroy()
  }
  const unlisten = feeds.listen(accountId, (events) => {
    const wanted = events.filter((event) => event.id > floor)
    if (waiting === null) write(wanted)
    else if (waiting.push(...wanted) > WAITING_MAX) response.destroy()
  })
  const replay = async (): Promise<void> => {
    for await (const page of feeds.listAfter(accountId, floor)) {
      write(page)
      for (const event of page) if (event.id > recent) replayed.add(event.id)
      await drained(response)
      if (response.destroyed || response.writableEnded) return
    }
    const late = waiting ?? []
    waiting = null
    write(late)
  }
  if (waiting) {
    replay().catch((error) => {
      world.log.warn({ err: error }, 'replaying events failed')
      response.end()
    })
  }
  return unlisten
}

function formatEvent(event: EventBody): string {
  return `id: ${event.id}\nevent: ${event.eventType}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Waits until the reader has taken what was written. */
async function drained(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain) return
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.once('drain', done)
    response.once('close', done)
  })
}
