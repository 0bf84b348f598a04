// One TCP or TLS connection of a trunk. Messages are answered in order, and all answers to one chunk are sent in one
// write. If a peer does not read, we stop reading from it. A peer that leaves a message incomplete, is idle for long, or
// sends garbage is disconnected.

import type { Socket } from 'node:net'
import type { SipOutcome } from '../sip/answer/answer-message.js'
import { MessageSplitter } from '../sip/message/message-splitter.js'
import type { Source } from '../sip/message/via.js'
import type { MessageAnswerer } from './listener.js'

export interface StreamTimes {
  /** From the first byte of a message to its last. */
  messageMs: number
  /** How long answers may stay unread. */
  unreadMs: number
  /** How long the connection may be idle; pings count as traffic (RFC 5626). */
  idleMs: number
  /** How long a disconnected peer can still read the last answers. */
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
  /** Answers to the current chunk so far. */
  #answers: Buffer[] = []
  #hadMessage = false
  /** Stops reading. */
  #isOver = false
  #messageTimer: NodeJS.Timeout | null = null
  #unreadTimer: NodeJS.Timeout | null = null
  #pauseTimer: NodeJS.Timeout | null = null

  /** The socket is connected and its handshake is done. `onCut` is called once if we disconnect. */
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

  /** Sends pending answers; drops what is left after a moment. */
  end(): void {
    if (this.#socket.destroyed) return
    this.#isOver = true
    // Keep reading and discard: closing with unread bytes would make the system drop our last answers.
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

  /** Slows down reading from a trunk that sends too much, so its calls do not delay those of others. */
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

  /** The timeout of an incomplete message starts at its own first byte, not at the previous message's. */
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

/** After garbage, message boundaries are unknown. Or the source is no longer allowed. */
function isTheEnd(outcome: SipOutcome | null): boolean {
  return outcome === null || outcome.kind === 'nonsense'
}
