// Splits the bytes of a socket into frames, in whatever chunks they arrive. A frame that arrives whole is a view of
// its chunk. One that arrives in pieces is collected in a buffer of exactly its length. Each byte is copied at most
// once, so a peer that writes single bytes costs no more than their number.

import { HEADER_LENGTH } from './pdu.js'

const LENGTH_BYTES = 4
const FRAME_MAX = 64 * 1024

export class FrameSplitter {
  readonly #onFrame: (frame: Buffer) => void
  readonly #frameMax: number
  readonly #head = Buffer.alloc(LENGTH_BYTES)
  #headLength = 0
  #frame: Buffer | null = null
  #frameLength = 0
  #problem: string | null = null

  constructor(onFrame: (frame: Buffer) => void, frameMax: number = FRAME_MAX) {
    this.#onFrame = onFrame
    this.#frameMax = frameMax
  }

  /** Whether bytes of an unfinished frame are waiting for the rest. */
  get isMidFrame(): boolean {
    return this.#headLength > 0 || this.#frame !== null
  }

  /**
   * Null, or why nothing more can be read from this peer: after an invalid length, the start of the next frame is
   * unknown.
   */
  push(chunk: Buffer): string | null {
    let at = 0
    while (at < chunk.length && this.#problem === null) {
      if (this.#frame !== null) at = this.#fill(this.#frame, chunk, at)
      else if (this.#headLength === 0 && chunk.length - at >= LENGTH_BYTES) {
        at = this.#begin(chunk.readUInt32BE(at), chunk, at)
      } else {
        this.#head[this.#headLength++] = chunk[at++]!
        if (this.#headLength === LENGTH_BYTES) {
          this.#headLength = 0
          this.#gather(this.#head.readUInt32BE(0), this.#head, 0)
        }
      }
    }
    return this.#problem
  }

  #begin(length: number, chunk: Buffer, at: number): number {
    const end = at + length
    if (end > chunk.length || !this.#isPossible(length)) return this.#gather(length, chunk, at)
    this.#onFrame(chunk.subarray(at, end))
    return end
  }

  /** Starts a buffer for an incomplete frame. */
  #gather(length: number, chunk: Buffer, at: number): number {
    if (!this.#isPossible(length)) {
      this.#problem = `A PDU of ${length} bytes cannot be: at least ${HEADER_LENGTH}, at most ${this.#frameMax}`
      return chunk.length
    }
    this.#frame = Buffer.allocUnsafeSlow(length)
    this.#frameLength = 0
    return this.#fill(this.#frame, chunk, at)
  }

  #fill(frame: Buffer, chunk: Buffer, at: number): number {
    const copied = chunk.copy(frame, this.#frameLength, at)
    this.#frameLength += copied
    if (this.#frameLength === frame.length) {
      this.#frame = null
      this.#onFrame(frame)
    }
    return at + copied
  }

  #isPossible(length: number): boolean {
    return length >= HEADER_LENGTH && length <= this.#frameMax
  }
}
