// Serves media without a token. Inbound files have a URL that cannot be guessed, and anyone with the URL can see
// the file. Outbound files have a sealed URL for carriers. A request for an inbound file that is still at the
// carrier waits, because clients ask for it right after the event.

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { Cache } from '../../kit/cache.js'
import { elapsedMs } from '../../kit/clock.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { IdParams, PathText } from '../../kit/contract/schema.js'
import type { Queryable } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import { findFile, findMedia, type StoredFile } from '../media-queries.js'
import { createAddressBook } from './address-book.js'
import { isFetching } from './fetch-queries.js'

const WAIT_MS_MAX = 5_000
const PROBE_MS = 200
const WAITING_MAX = 20

/** A picture sent to many recipients is requested many times, so this many stay in memory for this long. */
const SENT_MAX = 8
const SENT_MS = 30_000

const Sealed = Type.Object({
  accountId: PathText(),
  until: PathText(),
  seal: PathText(),
  name: PathText(),
})

/** Some providers request size and type with HEAD before they fetch a file. */
const READ = { method: ['GET', 'HEAD'] as ('GET' | 'HEAD')[] }

/** Not available yet, but soon. */
const PENDING = Symbol('pending')

type Found = StoredFile | typeof PENDING | null

export const mediaRoutes: FastifyPluginAsyncTypebox<World> = async (app, world) => {
  const { db } = world
  const sent = new Cache<string, StoredFile | null>({ max: SENT_MAX, keptMs: SENT_MS })
  let waiting = 0
  const find = async (id: string): Promise<Found> => {
    const media = await findMedia(db, id)
    if (media) return media
    if (!(await isFetching(db, id))) return findMedia(db, id) // it may have arrived in the meantime
    if (waiting >= WAITING_MAX) return PENDING
    waiting += 1
    try {
      return await waitForMedia(db, id)
    } finally {
      waiting -= 1
    }
  }
  const book = createAddressBook(world)
  app.route({
    ...READ,
    url: '/media/:accountId/:until/:seal/:name',
    schema: { params: Sealed },
    handler: async ({ params }, reply) => {
      const key = (await book.open()).read(params, world.clock.now())
      if (!key) throw new Refusal('media_missing')
      const name = `${key.accountId} ${params.name}`
      const file = await sent.get(name, () => findFile(db, key))
      if (!file) throw new Refusal('media_missing')
      return sendFile(reply, file, 3_600)
    },
  })
  app.route({
    ...READ,
    url: '/media/:id',
    schema: { params: IdParams },
    handler: async ({ params: { id } }, reply) => {
      const media = /^med_[\w-]{32}$/.test(id) ? await find(id) : null
      if (!media) throw new Refusal('media_missing')
      if (media !== PENDING) return sendFile(reply, media, 86_400)
      return reply
        .code(503)
        .header('retry-after', '2')
        .type('text/plain')
        .send('The file is still being fetched from the carrier. Retry shortly.\n')
    },
  })
}

async function waitForMedia(db: Queryable, id: string): Promise<Found> {
  const startedMs = elapsedMs()
  while (elapsedMs(startedMs) < WAIT_MS_MAX) {
    await sleep(PROBE_MS)
    if (!(await isFetching(db, id))) return findMedia(db, id)
  }
  return PENDING
}

/** A third party's file must not run as a page of this service. */
function sendFile(reply: FastifyReply, { contentType, content }: StoredFile, keptS: number) {
  const isHead = reply.request.method === 'HEAD'
  const isShown = /^(?:image\/(?!svg)|audio\/|video\/)/.test(contentType)
  return reply
    .type(contentType)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('content-disposition', isShown ? 'inline' : 'attachment')
    .header('cache-control', `private, max-age=${keptS}`)
    .header('content-length', content.length)
    .send(isHead ? '' : content)
}
