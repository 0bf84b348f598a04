// GET /v1/events/stream: the account's events as server-sent events. A stream ends when its token does, when its
// reader falls too far behind, and when the service stops. The client then resumes. Events that report the current
// state (time, balance, catch-up) have no ID and are not a resume point.

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Caller, maySeeCampaign } from '../../accounts/account.js'
import { listEventsById } from '../../events/event-queries.js'
import { fieldRefusal, Refusal } from '../../kit/contract/refusal.js'
import { wireTime } from '../../kit/contract/wire-time.js'
import { idFloor, isId } from '../../kit/ids.js'
import type { World } from '../../kit/world.js'
import { STREAM } from '../delivery-operations.js'
import type { DescribeMessages, EventBody } from '../event-body.js'
import { EventFeeds } from './event-feed.js'
import { watchBalance } from './watch-balance.js'

const STREAMS_PER_ACCOUNT_MAX = 20
const HEARTBEAT_MS = 15_000
/** The stream of a revoked token ends within a second, in every process. */
const TOKEN_CHECK_MS = 400
const UNREAD_BYTES_MAX = 1024 * 1024
/** How many events may collect while the stored ones are read. */
const WAITING_MAX = 10_000
/** Only newer events can come both from the database and from the feed. */
const HANDOVER_MS = 10_000
const RETRY_MS = 1_000

type Options = World & {
  describeMessages: DescribeMessages
  /** Whether each request's token or session is still valid. */
  listLive: (requests: readonly FastifyRequest[]) => Promise<boolean[]>
}

export const eventStreamRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { describeMessages, listLive, ...world },
) => {
  const feeds = new EventFeeds(world, describeMessages)
  const open = new Map<ServerResponse, FastifyRequest>()
  const stopChecking = checkTokens(world, open, listLive)
  let isClosing = false
  // Open streams would block the server's close forever, including those being opened.
  app.addHook('preClose', async () => {
    isClosing = true
    stopChecking()
    for (const response of open.keys()) response.end()
  })

  app.get('/events/stream', STREAM, async (request, reply) => {
    const { accountId, campaigns } = request.caller
    // A browser that reconnects repeats the query of its first attempt, but the header is newer.
    const lastEventId = request.headers['last-event-id'] ?? request.query.lastEventId
    if (lastEventId !== undefined && !isId('evt', String(lastEventId))) {
      throw fieldRefusal('Last-Event-ID', 'must be the ID of the last event received')
    }
    if (feeds.countListeners(accountId) >= STREAMS_PER_ACCOUNT_MAX) {
      throw new Refusal('streams_too_many')
    }
    reply.hijack()
    const response = reply.raw
    // The client disconnected during the checks: it would never be reported as closed again.
    if (response.destroyed) return
    response.writeHead(200, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no', // proxies that support it do not buffer events
      // When the stream ends, so does its connection, because an idle one would block the server's close.
      connection: 'close',
    })
    response.write(`retry: ${RETRY_MS}\n\n`)
    open.set(response, request)
    const ends = [
      () => open.delete(response),
      keepAlive(world, response),
      follow(world, feeds, { accountId, campaigns }, lastEventId && String(lastEventId), response),
    ]
    if (campaigns === null) {
      ends.push(
        watchBalance(world, accountId, (balance) =>
          writeState(response, 'balance.changed', balance),
        ),
      )
    }
    response.on('close', () => {
      for (const end of ends) end()
    })
    if (isClosing) response.end()
  })
}

/** One query for all streams of this process. Another process may have revoked a token, so it polls. */
function checkTokens(
  { hints }: World,
  open: ReadonlyMap<ServerResponse, FastifyRequest>,
  listLive: Options['listLive'],
): () => void {
  let isChecking = false
  const check = async (): Promise<void> => {
    if (isChecking || open.size === 0) return
    isChecking = true
    try {
      const streams = [...open]
      const live = await listLive(streams.map(([, request]) => request))
      for (const [i, [response]] of streams.entries()) if (!live[i]) response.end()
    } finally {
      isChecking = false
    }
  }
  // A database that does not respond proves nothing about the token.
  const checkSafely = () => void check().catch(() => {})
  const timer = setInterval(checkSafely, TOKEN_CHECK_MS).unref()
  const unsubscribe = hints.subscribe('tokens', checkSafely)
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}

function keepAlive(world: World, response: ServerResponse): () => void {
  const beat = () => writeState(response, 'heartbeat', { now: wireTime(world.clock.now()) })
  beat()
  const beating = setInterval(beat, HEARTBEAT_MS)
  const unsubscribe = world.hints.subscribe('clock', beat) // countdowns must not wait for the next heartbeat
  return () => {
    clearInterval(beating)
    unsubscribe()
  }
}

/**
 * Listens first, then reads what is stored since the last seen event, so nothing is missed in between. Events that
 * come both ways are sent once.
 */
function follow(
  world: World,
  feeds: EventFeeds,
  { accountId, campaigns }: Pick<Caller, 'accountId' | 'campaigns'>,
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
    for (const event of events) {
      const isVisible = maySeeCampaign({ campaigns }, event.campaignId)
      if (isVisible && !replayed.has(event.id)) response.write(formatEvent(event))
    }
    if (response.writableLength > UNREAD_BYTES_MAX) response.destroy()
  }
  const unlisten = feeds.listen(accountId, (events) => {
    const newer = events.filter((event) => event.id > floor)
    if (waiting === null) write(newer)
    else if (waiting.push(...newer) > WAITING_MAX) response.destroy()
  })
  const replay = async (): Promise<void> => {
    // Old events are deleted oldest first. If the last seen event still exists, so does everything after it.
    const isComplete = (await listEventsById(world.db, accountId, [floor])).length > 0
    let caughtUp = 0
    for await (const page of feeds.listAfter(accountId, floor)) {
      write(page)
      caughtUp += page.length
      for (const event of page) if (event.id > recent) replayed.add(event.id)
      await drained(response)
      if (response.destroyed || response.writableEnded) return
    }
    writeState(response, 'resumed', { lastEventId: floor, caughtUp, isComplete })
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

/** Without an ID, so a client that resumes names the last real event. */
function writeState(response: ServerResponse, name: string, data: object): void {
  if (response.writableEnded) return
  response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}

function formatEvent(event: EventBody): string {
  return `id: ${event.id}\nevent: ${event.eventType}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Waits until the reader has consumed what was written. */
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
