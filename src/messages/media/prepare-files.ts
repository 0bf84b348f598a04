// Files as a link and a network accept them: stored once by content, with pictures resized if needed, once for all
// messages that need the same size. Nothing here keeps bytes in memory while it waits for its turn.

import type { AccountId } from '../../accounts/account.js'
import { Cache } from '../../kit/cache.js'
import { HOUR_MS } from '../../kit/clock.js'
import type { World } from '../../kit/world.js'
import { type FileKey, findFile, insertFile, type StoredFile, touchFile } from '../media-queries.js'
import type { MediaProblem } from './fetch-media.js'
import { hashContent } from './hash-content.js'
import { identifyType, sendableType } from './identify-type.js'
import { type MediaLimits, type SharingFile, shareOut } from './media-limits.js'
import { fileName } from './sealed-address.js'
import type { ImageShrinker, PictureFacts } from './shrink-image.js'

/** Much shorter than an unused file is stored. */
const KEPT_MS = HOUR_MS
const KEPT_MAX = 1_000

/** What sharp reads. */
const PICTURES = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/tiff',
  'image/heic', // if this build of sharp reads it; otherwise refused before it gets here
])
/** Phones do not show these, regardless of size. */
const CONVERTED = new Set(['image/webp', 'image/tiff', 'image/heic'])

export interface KeptFile extends SharingFile {
  hash: string
  contentType: string
  /** Regardless of size. */
  mustConvert: boolean
}

export interface Prepared {
  /** For URLs, in the order of the files. */
  names: string[]
  bytesBefore: number
  bytes: number
}

type Made = { contentType: string; bytes: number }

export class FilePreparer {
  readonly #world: Pick<World, 'db' | 'clock'>
  readonly #shrinker: ImageShrinker
  /** By account, file, and size. Requests in the meantime wait for the same result. */
  readonly #made = new Cache<string, Made | MediaProblem>({
    max: KEPT_MAX,
    keptMs: (made) => ('code' in made ? 0 : KEPT_MS),
  })

  constructor(world: Pick<World, 'db' | 'clock'>, shrinker: ImageShrinker) {
    this.#world = world
    this.#shrinker = shrinker
  }

  /** The type that a file may be sent as, from its content. */
  async typeOf(content: Buffer, declared: string): Promise<{ type: string } | MediaProblem> {
    const convertsHeic =
      identifyType(content) === 'image/heic' && (await this.#shrinker.convertsHeic())
    const found = sendableType(content, declared, { convertsHeic })
    return 'problem' in found ? { code: 1392, detail: found.problem } : found
  }

  async keep(accountId: AccountId, file: StoredFile): Promise<KeptFile | MediaProblem> {
    const { contentType, content } = file
    const facts = await this.factsOf(file)
    if (facts && 'code' in facts) return facts
    const { db, clock } = this.#world
    const hash = await hashContent(content)
    await insertFile(db, { accountId, hash, bytesMax: 0 }, file, clock.now())
    return { hash, contentType, bytes: content.length, ...whatToDo(contentType, facts) }
  }

  /** Null if it is not a picture. */
  async factsOf({ contentType, content }: StoredFile): Promise<PictureFacts | MediaProblem | null> {
    return PICTURES.has(contentType) ? this.#shrinker.look(content) : null
  }

  /** A stored file, such as an upload. Null if it is gone. */
  async recall(key: FileKey): Promise<KeptFile | MediaProblem | null> {
    const { db, clock } = this.#world
    const stored = await touchFile(db, key, clock.now())
    if (!stored) return null
    const { contentType, bytes } = stored
    const file = PICTURES.has(contentType) ? await findFile(db, key) : null
    const facts = file && (await this.factsOf(file))
    if (facts && 'code' in facts) return facts
    return { hash: key.hash, contentType, bytes, ...whatToDo(contentType, facts) }
  }

  async fit(
    accountId: AccountId,
    files: readonly KeptFile[],
    limits: MediaLimits,
  ): Promise<Prepared | MediaProblem> {
    const shares = shareOut(files, limits)
    if (!shares) return tooBig(files, limits)
    const prepared: Prepared = { names: [], bytesBefore: sum(files), bytes: 0 }
    for (const [i, file] of files.entries()) {
      const share = shares[i]!
      const isFine = !file.canShrink || (file.bytes <= share && !file.mustConvert)
      const bytesMax = isFine ? 0 : share
      const made = isFine ? file : await this.#make(accountId, file, share)
      if ('code' in made) return made
      prepared.names.push(fileName({ hash: file.hash, bytesMax }, made.contentType))
      prepared.bytes += made.bytes
    }
    return prepared
  }

  #make(accountId: AccountId, { hash }: KeptFile, bytesMax: number): Promise<Made | MediaProblem> {
    const key = { accountId, hash, bytesMax }
    return this.#made.get(`${accountId} ${hash} ${bytesMax}`, async () => {
      const { db, clock } = this.#world
      const existing = await touchFile(db, key, clock.now())
      if (existing) return existing
      const original = async () => {
        const file = await findFile(db, { accountId, hash, bytesMax: 0 })
        if (!file) throw new Error('the file was deleted while it waited to be resized')
        return file.content
      }
      const shrunk = await this.#shrinker.shrink(original, bytesMax)
      if ('code' in shrunk) return shrunk
      await insertFile(db, key, shrunk, clock.now())
      return { contentType: shrunk.contentType, bytes: shrunk.content.length }
    })
  }
}

function whatToDo(
  contentType: string,
  facts: PictureFacts | null,
): Pick<KeptFile, 'canShrink' | 'mustConvert'> {
  const canShrink = facts !== null && !facts.isAnimated
  const mustConvert = canShrink && (CONVERTED.has(contentType) || facts.hasMetadata)
  return { canShrink, mustConvert }
}

function sum(files: readonly SharingFile[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0)
}

function tooBig(
  files: readonly SharingFile[],
  { bytesMax, otherBytesMax }: MediaLimits,
): MediaProblem {
  const single = files.some(({ bytes, canShrink }) => !canShrink && bytes > otherBytesMax)
  const limit =
    single && otherBytesMax < bytesMax
      ? `${kilobytes(otherBytesMax)} for a file that is not a picture`
      : kilobytes(bytesMax)
  const detail = `The media is too large for the carrier: ${kilobytes(sum(files))} (maximum ${limit}). It cannot be made smaller`
  return { code: 1391, detail }
}

export function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000)} kB`
}
