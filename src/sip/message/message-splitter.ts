// Splits the data of a TCP or TLS connection into SIP messages, however it is chunked. A message in one chunk is a view
// of it. A message in several chunks is collected in a buffer that doubles in size, so single bytes take linear time.

import { contentLength, readHead } from './headers.js'
import { HEAD_MAX, MESSAGE_MAX } from './limits.js'
import { HEAD_END } from './parse-message.js'

const CR = 0x0d
const LF = 0x0a
const FIRST_PIECE = 2048

export class MessageSplitter {
  readonly #onMessage: (bytes: Buffer) => void
  readonly #onPing: () => void
  /** The unfinished message, of which `#gathered` bytes are valid. */
  #buffer: Buffer | null = null
  #gathered = 0
  /** The length of the unfinished message, or 0 while its head is incomplete. */
  #length = 0
  /** Bytes of CR and LF between two messages: four in a row are a ping (RFC 5626, 3.5.1). */
  #blanks = 0
  #problem: string | null = null

  /** A ping expects CR LF back. It is reported once per chunk, however many there are. */
  constructor(onMessage: (bytes: Buffer) => void, onPing: () => void) {
    this.#onMessage = onMessage
    this.#onPing = onPing
  }

  /** Whether bytes of an unfinished message are waiting for the rest. */
  get isMidMessage(): boolean {
    return this.#buffer !== null
  }

  /**
   * Null, or why nothing more can be read from this peer: the start of the next message is unknown.
   */
  push(chunk: Buffer): string | null {
    let at = 0
    let isPinged = false
    while (at < chunk.length && this.#problem === null) {
      if (this.#buffer !== null) at = this.#gather(this.#buffer, chunk, at)
      else if (chunk[at] === CR || chunk[at] === LF) {
        at += 1
        this.#blanks = (this.#blanks + 1) % HEAD_END.length
        if (this.#blanks === 0 && !isPinged) {
          isPinged = true
          this.#onPing()
        }
      } else {
        this.#blanks = 0
        at = this.#begin(chunk, at)
      }
    }
    if (this.#problem !== null) this.#buffer = null
    return this.#problem
  }

  #begin(chunk: Buffer, at: number): number {
    const headEnd = chunk.indexOf(HEAD_END, at)
    if (headEnd !== -1) {
      const length = this.#lengthOf(chunk, at, headEnd)
      if (length === null) return chunk.length
      if (at + length <= chunk.length) {
        this.#onMessage(chunk.subarray(at, at + length))
        return at + length
      }
    }
    this.#buffer = Buffer.allocUnsafeSlow(FIRST_PIECE)
    this.#gathered = 0
    this.#length = 0
    return this.#gather(this.#buffer, chunk, at)
  }

  /** Adds bytes to the unfinished message, and checks for the end of its head if needed. */
  #gather(buffer: Buffer, chunk: Buffer, at: number): number {
    const most = this.#length === 0 ? HEAD_MAX + HEAD_END.length : this.#length
    const taken = Math.min(most - this.#gathered, chunk.length - at)
    const before = this.#gathered
    const into = this.#roomFor(buffer, before + taken, most)
    chunk.copy(into, before, at, at + taken)
    this.#gathered += taken
    if (this.#length > 0) {
      this.#finish(into)
      return at + taken
    }
    const headEnd = into
      .subarray(0, this.#gathered)
      .indexOf(HEAD_END, Math.max(0, before - HEAD_END.length + 1))
    if (headEnd === -1) {
      if (this.#gathered >= most) this.#problem = `The head is longer than ${HEAD_MAX} bytes`
      return at + taken
    }
    const length = this.#lengthOf(into, 0, headEnd)
    if (length === null) return chunk.length
    this.#length = length
    // The buffer may contain more than this message: the rest is read again.
    const surplus = Math.max(0, this.#gathered - length)
    this.#gathered -= surplus
    this.#finish(into)
    return at + taken - surplus
  }

  #roomFor(buffer: Buffer, length: number, most: number): Buffer {
    if (length <= buffer.length) return buffer
    const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(length, buffer.length * 2)))
    buffer.copy(larger, 0, 0, this.#gathered)
    this.#buffer = larger
    return larger
  }

  #finish(buffer: Buffer): void {
    if (this.#gathered < this.#length) return
    this.#buffer = null
    this.#onMessage(buffer.subarray(0, this.#length))
  }

  /** The length of the whole message. Without a Content-Length it ends with its head. */
  #lengthOf(bytes: Buffer, begin: number, headEnd: number): number | null {
    const head =
      headEnd - begin > HEAD_MAX
        ? `The head is longer than ${HEAD_MAX} bytes`
        : readHead(bytes.toString('latin1', begin, headEnd))
    const body = typeof head === 'string' ? head : (contentLength(head.headers) ?? 0)
    if (typeof body === 'string') {
      this.#problem = body
      return null
    }
    const length = headEnd - begin + HEAD_END.length + body
    if (length <= MESSAGE_MAX) return length
    this.#problem = `A message of ${length} bytes is too long: at most ${MESSAGE_MAX}`
    return null
  }
}
