// Media of an outgoing MMS: each address is fetched once before the message goes to the carrier, so
// that what cannot be sent fails here with a clear code and costs nothing.

import { Cache } from '../../kit/cache.js'
import type { HttpClient } from '../../kit/http-client/http-client.js'
import type { QueuedMessage } from '../lane-queries.js'
import { fetchMedia, type MediaProblem, TOO_BIG } from '../media/fetch-media.js'
import { sendableType } from '../media/identify-type.js'
import { MEDIA_BYTES_MAX } from '../media.js'

/** As many as the HTTP client has connections: its deadline must not run while a fetch waits for one. */
export const FETCHES_PER_ORIGIN = 8
/** Of one message, well within the lease. */
const FETCH_MS_MAX = 30_000
const KEPT_MS = 60_000
const KEPT_MAX = 1_000

const TOO_SLOW: MediaProblem = {
  code: 1390,
  detail: `The media could not be fetched: it took more than ${FETCH_MS_MAX / 1000} s in all`,
}

interface MediaSize {
  bytes: number
  durationMs: number
}

/**
 * Many messages of one campaign carry the same media: whoever asks while it is fetched, or shortly
 * after, shares the answer. A failure is shared only with those who wait for it.
 */
export class OutboundMedia {
  readonly #http: HttpClient
  readonly #signal: AbortSignal
  readonly #slots = new KeyedSlots(FETCHES_PER_ORIGIN)
  readonly #sizes = new Cache<string, MediaSize | MediaProblem>({
    max: KEPT_MAX,
    keptMs: (size) => ('code' in size ? 0 : KEPT_MS),
  })

  /** An abort rejects the checks under way: it says nothing about the media. */
  constructor(http: HttpClient, signal: AbortSignal) {
    this.#http = http
    this.#signal = signal
  }

  /** Null where all of it can be sent. */
  async check({ mediaUrls }: Pick<QueuedMessage, 'mediaUrls'>): Promise<MediaProblem | null> {
    let bytes = 0
    let fetchMs = 0
    for (const url of mediaUrls) {
      const size = await this.#sizes.get(url, () => this.#look(url))
      if ('code' in size) return size
      bytes += size.bytes
      fetchMs += size.durationMs
      if (bytes > MEDIA_BYTES_MAX) return TOO_BIG
      if (fetchMs > FETCH_MS_MAX) return TOO_SLOW
    }
    return null
  }

  async #look(url: string): Promise<MediaSize | MediaProblem> {
    const file = await this.#slots.run(new URL(url).origin, () =>
      fetchMedia(this.#http, url, { bytesMax: MEDIA_BYTES_MAX, signal: this.#signal }),
    )
    if ('code' in file) return file
    const found = sendableType(file.content, file.declared)
    if ('problem' in found) return { code: 1392, detail: found.problem }
    return { bytes: file.content.length, durationMs: file.durationMs }
  }
}

/** At most so many at once for each key; the others wait for a slot, first come first served. */
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
