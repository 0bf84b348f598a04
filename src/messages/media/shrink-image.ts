// Resizes pictures, turns them upright, and removes camera metadata such as the location. Decoding costs memory and
// a second of CPU time, so only a few run at a time, in separate threads, with a limit on pixels. If sharp does not
// load, everything else continues without it.

import { availableParallelism } from 'node:os'
import type sharp from 'sharp'
import type { Log } from '../../kit/log.js'
import type { MediaProblem } from './fetch-media.js'

type Sharp = typeof sharp

/** Enough for current phone cameras, and too few for a decompression bomb. */
const PIXELS_MAX = 50_000_000
const SECONDS_MAX = 20
/** One core is left for sending. */
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1))

const INPUT = { limitInputPixels: PIXELS_MAX, sequentialRead: true, failOn: 'error' } as const

/** Tried in order: the longer side in pixels, and the quality. */
const STEPS = [
  [2_048, 80],
  [1_600, 75],
  [1_280, 70],
  [1_024, 65],
  [800, 60],
  [640, 50],
  [480, 40],
  [320, 30],
] as const

export interface PictureFacts {
  isAnimated: boolean
  /** It may contain location or personal data, or be rotated. */
  hasMetadata: boolean
}

export interface Shrunk {
  contentType: 'image/jpeg'
  content: Buffer
}

const BOMB: MediaProblem = {
  code: 1391,
  detail: `The picture is too large (maximum ${PIXELS_MAX / 1_000_000} megapixels)`,
}
const DAMAGED: MediaProblem = {
  code: 1392,
  detail: 'The media cannot be sent: the picture is damaged',
}

export class ImageShrinker {
  readonly #log: Log
  readonly #import: () => Promise<{ default: Sharp }>
  readonly #waiting: (() => void)[] = []
  #underWay = 0
  #loading: Promise<Sharp | null> | null = null

  constructor(log: Log, load: () => Promise<{ default: Sharp }> = () => import('sharp')) {
    this.#log = log
    this.#import = load
  }

  /** Null if it is not available here, which is logged once. Never rejects. */
  load(): Promise<Sharp | null> {
    this.#loading ??= this.#import().then(
      ({ default: loaded }) => {
        loaded.cache(false)
        loaded.concurrency(1)
        return loaded
      },
      (error) => {
        const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
        this.#log.error(
          { reason },
          'pictures cannot be resized: sharp does not load on this machine (npm ci installs it). Media that is too large fails',
        )
        return null
      },
    )
    return this.#loading
  }

  /** The libvips from npm reads AVIF but not HEIC. A build with HEVC reads both. */
  async convertsHeic(): Promise<boolean> {
    const suffixes = (await this.load())?.format.heif?.input.fileSuffix ?? []
    return suffixes.includes('.heic')
  }

  /** From its header alone. Null: unknown. */
  async look(content: Buffer): Promise<PictureFacts | MediaProblem | null> {
    const loaded = await this.load()
    if (!loaded) return null
    try {
      const {
        width,
        height,
        pages = 1,
        exif,
        orientation,
      } = await loaded(content, INPUT).metadata()
      if (width * height * pages > PIXELS_MAX) return BOMB
      return { isAnimated: pages > 1, hasMetadata: exif !== undefined || (orientation ?? 1) > 1 }
    } catch (error) {
      return problemOf(error)
    }
  }

  /** First come, first served. */
  async shrink(content: () => Promise<Buffer>, bytesMax: number): Promise<Shrunk | MediaProblem> {
    const loaded = await this.load()
    if (!loaded)
      return { code: 1391, detail: 'The media is too large, and this service cannot resize it' }
    if (this.#underWay >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#underWay += 1
    try {
      return await shrinkWith(loaded, await content(), bytesMax)
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#underWay -= 1
    }
  }
}

/** Decoded once. The next steps work on a few megabytes of pixels. */
async function shrinkWith(
  loaded: Sharp,
  content: Buffer,
  bytesMax: number,
): Promise<Shrunk | MediaProblem> {
  try {
    const [largest] = STEPS[0]
    const { data, info } = await loaded(content, INPUT)
      .timeout({ seconds: SECONDS_MAX })
      .autoOrient()
      .resize(largest, largest, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
    const { width, height, channels } = info
    for (const [side, quality] of STEPS) {
      const made = await loaded(data, { raw: { width, height, channels } })
        .timeout({ seconds: SECONDS_MAX })
        .resize(side, side, { fit: 'inside', withoutEnlargement: true })
        .jpeg({ quality })
        .toBuffer()
      if (made.length <= bytesMax) return { contentType: 'image/jpeg', content: made }
    }
    return { code: 1391, detail: 'The media is too large: a picture cannot be made small enough' }
  } catch (error) {
    return problemOf(error)
  }
}

function problemOf(error: unknown): MediaProblem {
  return error instanceof Error && /pixel limit/.test(error.message) ? BOMB : DAMAGED
}
