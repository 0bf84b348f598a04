// A client that writes invalid data and checks the responses: everything the server writes is well-formed, and a
// session that stays open responds to requests.

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
const ENQUIRE_EVERY = 5
/** Beyond what hostile frames use. */
const ENQUIRY_SEQUENCE = 1_000_000

/** How the attack ended, and what the client had written. */
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
      if (i % ENQUIRE_EVERY === 0) await client.enquire(kinds)
    }
    return { end: client.isClosed ? 'closed by the server' : 'left by the client', kinds }
  } finally {
    client.leave()
  }
}

/** A length that no frame can have: the server must close the session. */
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
    const splitter = new FrameSplitter((frame) => this.#receive(frame))
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

  /** A server that gets too many binds at once makes some wait, and closes the session of a slow client. */
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

  /** The server responds with the same sequence number, or has closed the session. */
  async enquire(kinds: readonly string[]): Promise<void> {
    const sequence = ENQUIRY_SEQUENCE + this.#enquiries++
    this.write(encodePdu(makePdu('enquire_link', sequence, {})))
    await this.#answer('enquire_link_resp', sequence, kinds)
    assert.equal(this.#problem, null, `after ${kinds.join(', ')}`)
  }

  /** The server may read this as anything: it must do no harm, and may close the session. */
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

  /** Checks whenever data arrives or the connection closes. */
  async #until(isDone: () => boolean, what: () => string): Promise<true> {
    const timer = setTimeout(() => this.#socket.destroy(new Error(what())), PATIENCE_MS)
    try {
      while (!isDone()) {
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

  #receive(frame: Buffer): void {
    const { pdu, problem } = decodePdu(frame)
    if (problem) this.#problem ??= problem.detail
    else this.#received.push(pdu)
  }
}
