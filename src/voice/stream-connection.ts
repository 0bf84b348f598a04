// One TCP or TLS connection of a trunk. Messages are answered as they come, and all answers to one chunk leave
// in one write. A peer that does not read is not read from either; one that leaves a message half sent, says
// nothing for long, or nothing that makes sense, is hung up on.

import type { Socket } from 'node:net'
import type { Outcome } from '../sip/answer/answer-message.js'
import { MessageSplitter } from '../sip/message/message-splitter.js'
import type { Source } from '../sip/message/via.js'
import type { MessageAnswerer } from './listener.js'

export interface StreamTimes {
  /** From the first byte of a message to its last. */
  messageMs: number
  /** How long answers may lie unread. */
  unreadMs: number
  /** How long nothing may come at all; pings count (RFC 5626). */
  idleMs: number
  /** How long a peer that is hung up on may read what it was told last. */
  lingerMs: number
}

export const USUAL_TIMES: StreamTimes = {
  messageMs: 32_000,
  unreadMs: 32_000,
  idleMs: 30 * 60_000,
  lingerMs: 2_000,
}

const PONG = Buffer.from('\r\n')
const KEEP_ALIVE_MS = 60_000

export class StreamConnection {
  readonly #socket: Socket
  readonly #answerer: MessageAnswerer
  readonly #source: Source
  readonly #times: StreamTimes
  readonly #onCut: () => void
  readonly #splitter: MessageSplitter
  /** What the chunk at hand has had for answers so far. */
  #answers: Buffer[] = []
  #hadMessage = false
  /** Nothing is read any more. */
  #isOver = false
  #messageTimer: NodeJS.Timeout | null = null
  #unreadTimer: NodeJS.Timeout | null = null
  #pauseTimer: NodeJS.Timeout | null = null

  /** The socket is connected, and its handshake done. `onCut` is told once where we hang up. */
  constructor(
    socket: Socket,
    source: Source,
    answerer: MessageAnswerer,
    times: StreamTimes,
    onCut: () => void,
  ) {
    this.#socket = socket
    this.#source = source
    this.#answerer = answerer
    this.#times = times
    this.#onCut = onCut
    this.#splitter = new MessageSplitter(
      (bytes) => this.#receive(bytes),
      () => this.#answers.push(PONG),
    )
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    socket.setTimeout(times.idleMs, () => this.#cut())
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('drain', () => this.#drained())
    socket.on('close', () => this.#clearTimers())
  }

  /** What was answered is sent; what is left of it after a moment is not. */
  end(): void {
    if (this.#socket.destroyed) return
    this.#isOver = true
    this.#clearTimers()
    // Read on, to nowhere: closed over unread bytes, the system would take back what we said last.
    this.#socket.resume()
    this.#socket.end()
    const linger = setTimeout(() => this.#socket.destroy(), this.#times.lingerMs)
    this.#socket.once('close', () => clearTimeout(linger))
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return
    this.#hadMessage = false
    const problem = this.#splitter.push(chunk)
    this.#write()
    if (this.#isOver) return
    if (problem !== null) this.#cut()
    else {
      this.#watchMessage()
      this.#pause()
    }
  }

  /** A trunk that sends too much is read more slowly, so its calls do not delay those of others. */
  #pause(): void {
    const pauseMs = this.#answerer.pauseMs(this.#source)
    if (pauseMs <= 0 || this.#pauseTimer !== null) return
    this.#socket.pause()
    this.#pauseTimer = setTimeout(() => {
      this.#pauseTimer = null
      if (this.#unreadTimer === null) this.#socket.resume()
    }, pauseMs)
  }

  #receive(bytes: Buffer): void {
    if (this.#isOver) return
    this.#hadMessage = true
    const outcome = this.#answerer.answer(bytes, this.#source)
    if (outcome?.kind === 'answered') this.#answers.push(outcome.bytes)
    else if (isTheEnd(outcome)) {
      this.#write()
      this.#cut()
    }
  }

  #write(): void {
    const answers = this.#answers
    if (answers.length === 0 || this.#isOver) return
    this.#answers = []
    const isTaken = this.#socket.write(answers.length === 1 ? answers[0]! : Buffer.concat(answers))
    if (isTaken || this.#unreadTimer !== null) return
    this.#socket.pause()
    this.#unreadTimer = setTimeout(() => this.#destroy(), this.#times.unreadMs)
  }

  #drained(): void {
    if (this.#unreadTimer !== null) clearTimeout(this.#unreadTimer)
    this.#unreadTimer = null
    if (this.#pauseTimer === null) this.#socket.resume()
  }

  /** An unfinished message has its time from its own beginning, not from that of the one before it. */
  #watchMessage(): void {
    if (this.#messageTimer !== null && (this.#hadMessage || !this.#splitter.isMidMessage)) {
      clearTimeout(this.#messageTimer)
      this.#messageTimer = null
    }
    if (this.#splitter.isMidMessage)
      this.#messageTimer ??= setTimeout(() => this.#cut(), this.#times.messageMs)
  }

  #cut(): void {
    if (this.#isOver) return
    this.#onCut()
    this.end()
  }

  #destroy(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onCut()
    this.#socket.destroy()
  }

  #clearTimers(): void {
    const timers = [this.#messageTimer, this.#unreadTimer, this.#pauseTimer]
    for (const timer of timers) if (timer) clearTimeout(timer)
    this.#messageTimer = null
    this.#unreadTimer = null
    this.#pauseTimer = null
  }
}

/** Of nonsense nobody knows what follows; a source may be allowed no more. */
function isTheEnd(outcome: Outcome | null): boolean {
  return outcome === null || outcome.kind === 'nonsense'
}
