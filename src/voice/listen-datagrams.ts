// SIP over UDP: one datagram in, at most one out. An answer that cannot be sent is counted and dropped: the caller
// repeats its request.

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { SipAnswer } from '../sip/answer/answer-message.js'
import type { Source } from '../sip/message/via.js'
import { type MessageAnswerer, noCounts, type SipListener } from './listener.js'

export interface DatagramListenerOptions {
  host: string
  /** 0: any free port. */
  port: number
}

/** One second of calls, for when this process cannot read in time. The system may allow less. */
const BUFFER_BYTES = 4 * 1024 * 1024
/** Answers not yet accepted by the system. More are dropped. */
const WAITING_MAX = 1_000

/** Rejects if the address is not available. */
export async function listenDatagrams(
  { host, port }: DatagramListenerOptions,
  answerer: MessageAnswerer,
): Promise<SipListener> {
  const { address } = await lookup(host)
  const isV6 = isIPv6(address)
  const socket = createSocket({ type: isV6 ? 'udp6' : 'udp4', lookup: asItIs(isV6 ? 6 : 4) })
  const datagrams = new Datagrams(socket, answerer)
  const listening = once(socket, 'listening')
  socket.bind(port, address)
  await listening.catch((error: unknown) => {
    socket.close()
    throw error
  })
  // The error concerns a single datagram; the socket keeps working. Without a listener, it would end the process.
  socket.on('error', () => {})
  enlargeBuffers(socket)
  socket.on('message', (bytes, from) => datagrams.receive(bytes, from))
  return {
    port: socket.address().port,
    counts: datagrams.counts,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

/** Addresses come from datagrams and are never names, so no asynchronous lookup is needed. */
function asItIs(family: number) {
  return (
    address: string,
    _options: object,
    done: (error: null, address: string, family: number) => void,
  ): void => done(null, address, family)
}

function enlargeBuffers(socket: Socket): void {
  try {
    socket.setRecvBufferSize(BUFFER_BYTES)
    socket.setSendBufferSize(BUFFER_BYTES)
  } catch {
    // Some systems refuse a large buffer instead of reducing it; keep their default.
  }
}

/**
 * A batch of up to 32 datagrams is read, then answered, then sent. Handling them one by one takes nearly twice as
 * long: switching between the kernel and our code for each datagram flushes the CPU's instruction cache.
 */
class Datagrams {
  readonly counts = noCounts()
  readonly #socket: Socket
  readonly #answerer: MessageAnswerer
  #came: { bytes: Buffer; source: Source }[] = []
  /** Handed to the system, but not accepted yet. */
  #waiting = 0

  constructor(socket: Socket, answerer: MessageAnswerer) {
    this.#socket = socket
    this.#answerer = answerer
  }

  receive(bytes: Buffer, { address, port }: RemoteInfo): void {
    this.#came.push({ bytes, source: { transport: 'udp', address, port } })
    if (this.#came.length === 1) setImmediate(() => this.#answerAll())
  }

  #answerAll(): void {
    const came = this.#came
    this.#came = []
    const outcomes = came.map(({ bytes, source }) => this.#answerer.answer(bytes, source))
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome?.kind === 'answered') this.#send(outcome, came[i]!.source.address)
    }
  }

  #send({ bytes, port }: SipAnswer, address: string): void {
    if (this.#waiting >= WAITING_MAX) {
      this.counts.unsent += 1
      return
    }
    this.#waiting += 1
    try {
      this.#socket.send(bytes, port, address, this.#sent)
    } catch {
      // The socket is closed, or the port is invalid: datagrams can claim port 0.
      this.#sent(new Error('not sent'))
    }
  }

  readonly #sent = (error: Error | null) => {
    this.#waiting -= 1
    if (error) this.counts.unsent += 1
  }
}
