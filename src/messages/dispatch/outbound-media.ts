// Media of an outgoing MMS. Each URL is fetched once before the message goes to the carrier, so unusable media
// fails here with a clear code and costs nothing. A link that fetches files itself gets our URLs, with files that
// fit the link and the network. Uploaded files are read from the database.

import type { AccountId } from '../../accounts/account.js'
import { Cache } from '../../kit/cache.js'
import type { HttpClient } from '../../kit/http-client/http-client.js'
import type { QueuedMessage } from '../lane-queries.js'
import { type FetchedMedia, fetchMedia, type MediaProblem } from '../media/fetch-media.js'
import type { MediaLimits } from '../media/media-limits.js'
import type { FilePreparer, KeptFile, Prepared } from '../media/prepare-files.js'
import { FILE_BYTES_MAX } from '../media.js'
import type { FileKey } from '../media-queries.js'

/** As many as the HTTP client has connections, because its deadline must not run while a fetch waits for one. */
export const FETCHES_PER_ORIGIN = 8
/** In total, so files in memory are bounded. */
const FETCHES_MAX = 16
/** Per message, well within the lease. */
const FETCH_MS_MAX = 30_000
const KEPT_MS = 60_000
const KEPT_MAX = 1_000

const TOO_SLOW: MediaProblem = {
  code: 1390,
  detail: `The media could not be fetched: it took more than ${FETCH_MS_MAX / 1000} s`,
}

const UPLOAD_GONE: MediaProblem = {
  code: 1390,
  detail: 'The media could not be fetched: the uploaded file has expired',
}
const UPLOAD_FOREIGN: MediaProblem = {
  code: 1390,
  detail: 'The media could not be fetched: the uploaded file belongs to another account',
}

interface MediaSize {
  durationMs: number
  /** Null if the link accepts URLs as given. */
  kept: KeptFile | null
}

export interface OutboundMediaDeps {
  http: HttpClient
  /** An abort rejects running checks. It does not describe the media. */
  signal: AbortSignal
  /** What the message's link and network accept. Null if the link does not fetch from us. */
  limitsOf: (message: CheckedMessage) => MediaLimits | null
  preparer: Pick<FilePreparer, 'typeOf' | 'keep' | 'recall' | 'fit'>
  /** The uploaded file behind one of our URLs. Null for every other URL. */
  uploadOf: (url: string) => Promise<FileKey | null>
}

export type CheckedMessage = Pick<
  QueuedMessage,
  'accountId' | 'from' | 'to' | 'campaignId' | 'type' | 'mediaUrls'
>

/**
 * Many messages of one campaign have the same media. Requests during a fetch or shortly after it share its result.
 * A failure is shared only with those that wait for it.
 */
export class OutboundMedia {
  readonly #deps: OutboundMediaDeps
  readonly #slots = new KeyedSlots(FETCHES_PER_ORIGIN)
  readonly #allSlots = new KeyedSlots(FETCHES_MAX)
  readonly #sizes = new Cache<string, MediaSize | MediaProblem>({
    max: KEPT_MAX,
    keptMs: (size) => ('code' in size ? 0 : KEPT_MS),
  })

  constructor(deps: OutboundMediaDeps) {
    this.#deps = deps
  }

  /** Null if all of it can be sent with the given URLs. */
  async check(message: CheckedMessage): Promise<MediaProblem | Prepared | null> {
    const { limitsOf, preparer, uploadOf } = this.#deps
    const limits = limitsOf(message)
    // Files belong to one account and are never shared with another.
    const owner = limits && message.accountId
    const files: MediaSize[] = []
    let fetchMs = 0
    for (const url of message.mediaUrls) {
      const upload = await uploadOf(url)
      if (upload && upload.accountId !== message.accountId) return UPLOAD_FOREIGN
      const size = await this.#sizes.get(`${owner ?? ''} ${url}`, () =>
        upload ? this.#recall(upload) : this.#look(url, owner),
      )
      if ('code' in size) return size
      files.push(size)
      fetchMs += size.durationMs
      if (fetchMs > FETCH_MS_MAX) return TOO_SLOW
    }
    if (!limits) return null
    const kept = files.map((file) => file.kept!)
    return preparer.fit(message.accountId, kept, limits)
  }

  #look(url: string, owner: AccountId | null): Promise<MediaSize | MediaProblem> {
    const { http, signal } = this.#deps
    const bytesMax = FILE_BYTES_MAX
    return this.#slots.run(new URL(url).origin, () =>
      this.#allSlots.run('', async () => {
        const file = await fetchMedia(http, url, { bytesMax, signal })
        return 'code' in file ? file : this.#keep(file, owner)
      }),
    )
  }

  /** Without an HTTP request to this service. */
  async #recall(upload: FileKey): Promise<MediaSize | MediaProblem> {
    const kept = await this.#allSlots.run('', () => this.#deps.preparer.recall(upload))
    if (kept === null) return UPLOAD_GONE
    return 'code' in kept ? kept : { durationMs: 0, kept }
  }

  async #keep(
    { content, declared, durationMs }: FetchedMedia,
    owner: AccountId | null,
  ): Promise<MediaSize | MediaProblem> {
    const found = await this.#deps.preparer.typeOf(content, declared)
    if ('code' in found) return found
    if (owner === null) return { durationMs, kept: null }
    const kept = await this.#deps.preparer.keep(owner, { contentType: found.type, content })
    return 'code' in kept ? kept : { durationMs, kept }
  }
}

/** At most this many at once for each key. Others wait for a slot, first come, first served. */
class KeyedSlots {
  readonly #max: number
  readonly #byKey = new Map<string, { busy: number; waiting: (() => void)[] }>()

  constructor(max: number) {
    this.#max = max
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const slots = this.#byKey.get(key) ?? { busy: 0, waiting: [] }
    this.#byKey.set(key, slots)
    if (slots.busy >= this.#max) await new Promise<void>((resolve) => slots.waiting.push(resolve))
    else slots.busy += 1
    try {
      return await work()
    } finally {
      const next = slots.waiting.shift()
      if (next) next()
      else slots.busy -= 1
      if (slots.busy === 0) this.#byKey.delete(key)
    }
  }
}
