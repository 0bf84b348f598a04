// An SMSC that misbehaves in every way: it responds never, late, twice, with other sequence numbers, with another
// command, or with noise, and it closes the connection. It records what it received and how it responded.

import net, { type AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { decodePdu } from '../../src/smpp/pdu/decode.js'
import { encodePdu } from '../../src/smpp/pdu/encode.js'
import { FrameSplitter } from '../../src/smpp/pdu/frame-splitter.js'
import { makeFailure, makePdu, type Pdu, type PduOf } from '../../src/smpp/pdu/pdu.js'
import { STATUS } from '../../src/smpp/pdu/status.js'
import { readMessage } from '../../src/smpp/text/read-message.js'
import {
  below,
  chopped,
  hostileFrame,
  pick,
  type Random,
  wellFormedFrames,
} from './hostile-frames.js'

export interface HostileSmsc {
  port: number
  /** By text: how often it arrived, how often it was refused, and the ids in the responses. */
  seen: (text: string) => Seen
  /** From now on it behaves correctly. */
  behave: () => void
  /** Errors in what our link wrote. */
  problems: string[]
}

interface Seen {
  came: number
  refused: number
  ids: string[]
}

type Mischief = (connection: Connection, submit: PduOf<'submit_sm'>) => void

const LATE_MS = 600

export async function startHostileSmsc(t: TestContext, random: Random): Promise<HostileSmsc> {
  const seen = new Map<string, Seen>()
  const problems: string[] = []
  const sockets = new Set<net.Socket>()
  const smsc = {
    random,
    isGood: false,
    problems,
    seen: (text: string) => {
      const found = seen.get(text) ?? { came: 0, refused: 0, ids: [] }
      seen.set(text, found)
      return found
    },
  }
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    new Connection(socket, smsc)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    seen: smsc.seen,
    behave: () => {
      smsc.isGood = true
      for (const socket of sockets) socket.destroy()
    },
    problems,
  }
}

interface Shared {
  random: Random
  isGood: boolean
  problems: string[]
  seen: (text: string) => Seen
}

class Connection {
  readonly #socket: net.Socket
  readonly #smsc: Shared
  /** The texts of all submits, by sequence number. */
  readonly #texts = new Map<number, string>()

  constructor(socket: net.Socket, smsc: Shared) {
    this.#socket = socket
    this.#smsc = smsc
    const splitter = new FrameSplitter((frame) => this.#receive(frame))
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      const problem = splitter.push(chunk)
      if (problem) smsc.problems.push(problem)
    })
  }

  get random(): Random {
    return this.#smsc.random
  }

  /** The sequence number of any submit of this connection. */
  anySequence(): number {
    return pick(this.random, [...this.#texts.keys()])
  }

  write(bytes: Buffer): void {
    for (const piece of chopped(bytes, this.random)) {
      if (this.#socket.writable) this.#socket.write(piece)
    }
  }

  accept(sequence: number): void {
    const text = this.#texts.get(sequence)
    const messageId = `id-${sequence}-${below(this.random, 1_000)}`
    if (text !== undefined) this.#smsc.seen(text).ids.push(messageId)
    this.write(encodePdu(makePdu('submit_sm_resp', sequence, { messageId })))
  }

  refuse(sequence: number, status: number): void {
    this.#smsc.seen(this.#texts.get(sequence)!).refused += 1
    this.write(encodePdu(makeFailure('submit_sm_resp', sequence, status)))
  }

  hangUp(): void {
    this.#socket.destroy()
  }

  #receive(frame: Buffer): void {
    const { pdu, problem } = decodePdu(frame)
    if (problem) this.#smsc.problems.push(problem.detail)
    else this.#answer(pdu)
  }

  #answer(pdu: Pdu): void {
    const { command, sequence } = pdu
    if (command === 'bind_transceiver') this.#answerBind(sequence)
    else if (command === 'enquire_link') this.write(reply('enquire_link_resp', sequence))
    else if (command === 'unbind') this.write(reply('unbind_resp', sequence))
    else if (command === 'submit_sm') this.#receiveSubmit(pdu)
  }

  #answerBind(sequence: number): void {
    const { isGood } = this.#smsc
    const chance = isGood ? 1 : this.random()
    if (chance < 0.1) this.hangUp()
    else if (chance < 0.2)
      this.write(hostileFrame(wellFormedFrames(this.random), this.random).bytes)
    else if (chance >= 0.25) this.write(reply('bind_transceiver_resp', sequence))
  }

  #receiveSubmit(pdu: PduOf<'submit_sm'>): void {
    const text = readMessage(pdu, []).text ?? '?'
    this.#texts.set(pdu.sequence, text)
    this.#smsc.seen(text).came += 1
    if (this.#smsc.isGood) this.accept(pdu.sequence)
    else pick(this.random, MISCHIEF)(this, pdu)
  }
}

function reply(command: 'enquire_link_resp' | 'unbind_resp' | 'bind_transceiver_resp', n: number) {
  return encodePdu(makePdu(command, n, {}))
}

const accept: Mischief = (connection, { sequence }) => connection.accept(sequence)

/** Each entry is equally likely. */
const MISCHIEF: readonly Mischief[] = [
  ...Array.from({ length: 12 }, () => accept),
  // Twice.
  (connection, { sequence }) => {
    connection.accept(sequence)
    connection.accept(sequence)
  },
  // Never.
  () => {},
  // Too late.
  (connection, { sequence }) => void setTimeout(() => connection.accept(sequence), LATE_MS),
  // With another sequence number.
  (connection) => connection.accept(connection.anySequence()),
  (connection, { sequence }) => connection.accept(sequence + 100_000),
  // Throttling is rare, because each one pauses the link for a second.
  (connection, { sequence }) => {
    const { ESME_RTHROTTLED, ESME_RINVSRCADR } = STATUS
    const isThrottled = below(connection.random, 4) === 0
    connection.refuse(sequence, (isThrottled ? ESME_RTHROTTLED : ESME_RINVSRCADR).code)
  },
  (connection, { sequence }) => connection.refuse(sequence, STATUS.ESME_RINVDSTADR.code),
  // Another command is not a response.
  (connection, { sequence }) =>
    connection.write(encodePdu(makePdu('query_sm_resp', sequence, { messageId: 'x' }))),
  // A response that cannot be decoded.
  (connection, { sequence }) => {
    const broken = encodePdu(makePdu('submit_sm_resp', sequence, { messageId: 'x'.repeat(20) }))
    connection.write(Buffer.concat([broken.subarray(0, -1), Buffer.from('y')]))
  },
  // Noise, then the response.
  (connection, { sequence }) => {
    const { random } = connection
    const frames = wellFormedFrames(random).filter((frame) => frame.readUInt32BE(4) < 0x8000_0000)
    connection.write(hostileFrame(frames, random).bytes)
    connection.accept(sequence)
  },
  (connection) => connection.hangUp(),
]
