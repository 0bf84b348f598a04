// A client that writes what no client should, and looks at what it gets for it: whatever a server writes is
// well-formed, and a session that goes on answers what is asked of it.

import assert from 'node:assert/strict'
import net from 'node:net'
import { decodePdu } from '../../src/smpp/pdu/decode.js'
import { encodePdu } from '../../src/smpp/pdu/encode.js'
import { FrameSplitter } from '../../src/smpp/pdu/frame-splitter.js'
import { makePdu, type Pdu } from '../../src/smpp/pdu/pdu.js'
import { STATUS } from '../../src/smpp/pdu/status.js'
import { chopped, hostileFrame, type Random, wellFormedFrames } from './hostile-frames.js'

export interface Target {
  port: number
  systemId: string
  password: string
}

const PATIENCE_MS = 60_000
const BINDS_MAX = 10
const FRAMES = 40
const ASK_EVERY = 5
/** Beyond what hostile frames use. */
const ENQUIRY_SEQUENCE = 1_000_000

/** What came of it, and after what. */
export interface Attack {
  end: 'closed by the server' | 'left by the client'
  kinds: readonly string[]
}

export async function attack(target: Target, random: Random, isBound: boolean): Promise<Attack> {
  const client = isBound
    ? await HostileClient.bound(target)
    : await HostileClient.connect(target.port)
  const kinds: string[] = []
  try {
    for (let i = 0; i < FRAMES && !client.isClosed; i++) {
      const { bytes, kind, isWhole } = hostileFrame(wellFormedFrames(random), random, 0.98)
      kinds.push(kind)
      for (const piece of chopped(bytes, random)) client.write(piece)
      if (!isWhole) {
        client.writeMore(random)
        if (mustClose(bytes)) await client.untilClosed(kinds)
        break
      }
      if (i % ASK_EVERY === 0) await client.enquire(kinds)
    }
    return { end: client.isClosed ? 'closed by the server' : 'left by the client', kinds }
  } finally {
    client.leave()
  }
}

/** A length that no frame has: there is no way on. */
function mustClose(bytes: Buffer): boolean {
  const length = bytes.length >= 4 ? bytes.readUInt32BE(0) : 16
  return length < 16 || length > 65_536
}

class HostileClient {
  readonly #socket: net.Socket
  readonly #received: Pdu[] = []
  #isClosed = false
  #problem: string | null = null
  #enquiries = 0
  #failure: Error | null = null
  #wake: () => void = () => {}

  private constructor(socket: net.Socket) {
    this.#socket = socket
    const splitter = new FrameSplitter((frame) => this.#take(frame))
    socket.on('data', (chunk: Buffer) => {
      this.#problem ??= splitter.push(chunk)
      this.#wake()
    })
    socket.on('error', (error) => {
      if (error.message.includes(' after ')) this.#failure = error
    })
    socket.on('close', () => {
      this.#isClosed = true
      this.#wake()
    })
  }

  static async connect(port: number): Promise<HostileClient> {
    const socket = net.connect(port, '127.0.0.1')
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return new HostileClient(socket)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  write(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }

  /** A server that is asked too often at once lets some wait for a moment, and hangs up on who is slow himself. */
  static async bound(target: Target): Promise<HostileClient> {
    for (let attempt = 1; ; attempt++) {
      const client = await HostileClient.connect(target.port)
      const status = await client.#bind(target)
      if (status === STATUS.ESME_ROK.code) return client
      assert.ok(status === undefined || status === STATUS.ESME_RBINDFAIL.code, `status ${status}`)
      assert.ok(attempt < BINDS_MAX, 'a bind')
    }
  }

  async #bind({ systemId, password }: Target): Promise<number | undefined> {
    this.write(encodePdu(makePdu('bind_transceiver', 1, { systemId, password })))
    return (await this.#answer('bind_transceiver_resp', 1, []))?.status
  }

  /** It answers with the same number, or it has closed the session. */
  async enquire(kinds: readonly string[]): Promise<void> {
    const sequence = ENQUIRY_SEQUENCE + this.#enquiries++
    this.write(encodePdu(makePdu('enquire_link', sequence, {})))
    await this.#answer('enquire_link_resp', sequence, kinds)
    assert.equal(this.#problem, null, `after ${kinds.join(', ')}`)
  }

  /** Nobody knows what it is taken for: it must not do harm, and may be answered by the end. */
  writeMore(random: Random): void {
    for (const frame of wellFormedFrames(random)) this.write(frame)
  }

  untilClosed(kinds: readonly string[]): Promise<true> {
    return this.#until(
      () => this.#isClosed,
      () => `an end after ${kinds.join(', ')}`,
    )
  }

  leave(): void {
    this.#socket.destroy()
  }

  /** Null: the session was closed. */
  async #answer(
    command: Pdu['command'],
    sequence: number,
    kinds: readonly string[],
  ): Promise<Pdu | null> {
    const isIt = (pdu: Pdu) => pdu.command === command && pdu.sequence === sequence
    const what = () => `${command} ${sequence} after ${kinds.join(', ')}`
    await this.#until(() => this.#isClosed || this.#received.some(isIt), what)
    return this.#received.find(isIt) ?? null
  }

  /** Looks whenever something comes, or the end. */
  async #until(look: () => boolean, what: () => string): Promise<true> {
    const timer = setTimeout(() => this.#socket.destroy(new Error(what())), PATIENCE_MS)
    try {
      while (!look()) {
        await new Promise((resolve) => {
          this.#wake = () => resolve(null)
        })
      }
      if (this.#failure) throw this.#failure
      return true
    } finally {
      clearTimeout(timer)
    }
  }

  #take(frame: Buffer): void {
    const { pdu, problem } = decodePdu(frame)
    if (problem) this.#problem ??= problem.detail
    else this.#received.push(pdu)
  }
}
