// Files of inbound messages. The message is stored first, with our URLs. Then its files are fetched from the
// carrier before they expire there, with retries for a day. The timeline lists files that could not be fetched.

import type { QuotaBook } from '../../accounts/quota-book.js'
import { MINUTE_MS } from '../../kit/clock.js'
import type { HttpClient } from '../../kit/http-client/http-client.js'
import type { Counter } from '../../kit/metrics.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type { InboundPort } from '../carrier-port.js'
import { FILE_BYTES_MAX } from '../media.js'
import { insertFile, insertMedia } from '../media-queries.js'
import { encodeEntry } from '../timeline.js'
import { type FetchedMedia, fetchMedia, type MediaProblem } from './fetch-media.js'
import {
  abandonFetch,
  claimFetches,
  deleteFetch,
  type MediaFetch,
  retryFetch,
} from './fetch-queries.js'
import { hashContent } from './hash-content.js'
import { identifyType } from './identify-type.js'
import { findFullRefusal, findMediaRefusal } from './media-quota.js'

/** Longer than a file and its redirects may take. */
const LEASE_MS = 90_000
const AT_ONCE = 8
const IDLE_MS = 1_000
/** Within a day of arrival, because some carriers delete their files after two. */
const RETRIES_MS = [5_000, 30_000, ...[2, 10, 30, 60, 120, 240, 480, 480].map((n) => n * MINUTE_MS)]

interface Deps {
  carrier: InboundPort
  /** Guarded. */
  http: HttpClient
  /** Allowed only to the hosts of links that the operator set up. */
  ownHttp: HttpClient
  quotas: QuotaBook
  note: (
    tx: Transaction,
    fetch: Pick<MediaFetch, 'accountId' | 'messageId'>,
    entry: string,
  ) => Promise<unknown>
}

export function inboundMediaLoop(world: World, deps: Deps): Loop {
  const fetches = world.metrics.counter(
    'longcode_media_fetches_total',
    'Files of inbound messages requested from carriers, by link and outcome',
    ['link', 'outcome'],
  )
  return {
    name: 'inbound media',
    hints: ['media', 'clock'],
    idleMs: IDLE_MS,
    onError: (error) => world.log.error({ err: error }, 'fetching inbound media failed'),
    step: async (signal) => {
      const now = world.clock.now()
      const leaseUntil = new Date(now.getTime() + LEASE_MS)
      const claimed = await claimFetches(world.db, { now, leaseUntil, limit: AT_ONCE })
      await Promise.all(claimed.map((fetch) => fetchOne(world, deps, { fetch, fetches, signal })))
      return claimed.length
    },
  }
}

async function fetchOne(
  world: World,
  deps: Deps,
  { fetch, fetches, signal }: { fetch: MediaFetch; fetches: Counter; signal: AbortSignal },
): Promise<void> {
  const { carrier, http, ownHttp } = deps
  const full = await findFull(world, deps, fetch, null)
  if (full) {
    fetches.add(1, fetch.link, await putOff(world, deps, fetch, full))
    return
  }
  const access = carrier.mediaAccess?.(fetch.link, fetch.url) ?? null
  const own = access && { access, http: ownHttp }
  const options = { bytesMax: FILE_BYTES_MAX, own, signal }
  const fetched = await fetchMedia(http, fetch.url, options).catch((error) => {
    if (signal.aborted) return null // its lease brings it back
    throw error
  })
  if (fetched === null) return
  const isFile = !('code' in fetched)
  const file = (isFile && (await findFull(world, deps, fetch, fetched.content))) || fetched
  const outcome = 'code' in file ? await putOff(world, deps, fetch, file) : 'kept'
  if (!('code' in file)) await keep(world, fetch, file)
  fetches.add(1, fetch.link, outcome)
}

/** Why the file cannot be stored now: it is fetched again later, because the account may have room by then. */
async function findFull(
  { db }: World,
  { quotas }: Deps,
  { accountId }: MediaFetch,
  content: Buffer | null,
): Promise<MediaProblem | null> {
  const refusal =
    content === null
      ? await findFullRefusal(db, quotas, accountId, 1)
      : await findMediaRefusal(
          ...[db, quotas],
          { accountId, hash: await hashContent(content), bytesMax: 0 },
          content.length,
        )
  return refusal && { code: 1390, detail: refusal.message }
}

async function keep(
  { db, clock, hints }: World,
  { id, accountId, messageId }: MediaFetch,
  { content }: FetchedMedia,
): Promise<void> {
  const now = clock.now()
  const contentType = identifyType(content)
  const hash = await hashContent(content)
  await db.transaction(async (tx) => {
    if (!(await deleteFetch(tx, id))) return
    await insertFile(tx, { accountId, hash, bytesMax: 0 }, { contentType, content }, now)
    await insertMedia(tx, { id, accountId, messageId, hash, contentType }, now)
  })
  hints.notify('media')
}

async function putOff(
  { db, clock, log }: World,
  { note }: Deps,
  fetch: MediaFetch,
  { code, detail }: MediaProblem,
): Promise<'again' | 'given_up'> {
  const { link, messageId, attempts } = fetch
  const now = clock.now()
  const delayMs = code === 1391 ? undefined : RETRIES_MS[attempts - 1]
  log.warn(
    { link, message: messageId, attempts, detail },
    'a file of an inbound message is missing',
  )
  if (delayMs !== undefined) {
    await retryFetch(db, fetch, new Date(now.getTime() + delayMs))
    return 'again'
  }
  const tries = attempts === 1 ? 'one attempt' : `${attempts} attempts`
  const entry = encodeEntry(now, 'media', `A file is missing after ${tries}. ${detail}`)
  const isOurs = await db.transaction(async (tx) => {
    if (!(await abandonFetch(tx, fetch))) return false
    await note(tx, fetch, entry)
    return true
  })
  return isOurs ? 'given_up' : 'again' // by the process that took it over
}
