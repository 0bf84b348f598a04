// A test caller for what SIPp cannot show: the exact bytes of a response, the same request to several services, and
// missing responses.

import dgram from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from '../../patience.js'

const RESEND_MS = 500

export class DatagramCaller {
  /** Everything received, with the source port. */
  readonly received: { text: string; port: number }[] = []
  readonly #socket: dgram.Socket
  #calls = 0

  static async open(t: TestContext, address = '127.0.0.1'): Promise<DatagramCaller> {
    const socket = dgram.createSocket('udp4')
    socket.bind(0, address)
    await once(socket, 'listening')
    t.after(() => socket.close())
    return new DatagramCaller(socket)
  }

  private constructor(socket: dgram.Socket) {
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('message', (bytes, { port }) =>
      this.received.push({ text: bytes.toString('latin1'), port }),
    )
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** A new call each time. */
  invite(uri: string): string {
    this.#calls += 1
    const { address, port } = this.#socket.address()
    return inviteText(uri, { via: `UDP ${address}:${port}`, callId: `${this.#calls}-${port}@test` })
  }

  send(request: string, port: number): void {
    this.#socket.send(Buffer.from(request, 'latin1'), port, '127.0.0.1')
  }

  /** The first response to the request from now on. Resends the request until one comes. */
  async ask(request: string, port: number): Promise<string> {
    const callId = headerOf(request, 'Call-ID')
    const before = this.received.length
    const startMs = performance.now()
    for (let asked = 0; performance.now() < startMs + patienceMs(); ) {
      const answer = this.received
        .slice(before)
        .find((one) => one.port === port && headerOf(one.text, 'Call-ID') === callId)
      if (answer) return answer.text
      if (performance.now() > asked + RESEND_MS) {
        asked = performance.now()
        this.send(request, port)
      }
      await sleep(5)
    }
    throw new Error(`no answer came on port ${port} to ${request}`)
  }
}

export function inviteText(uri: string, { via, callId }: { via: string; callId: string }): string {
  return [
    `INVITE ${uri} SIP/2.0`,
    `Via: SIP/2.0/${via};branch=z9hG4bK-${callId};rport`,
    'From: <sip:+12125550100@caller.test>;tag=caller',
    `To: <${uri}>`,
    `Call-ID: ${callId}`,
    'CSeq: 1 INVITE',
    'Max-Forwards: 70',
    'Content-Length: 0',
    '\r\n',
  ].join('\r\n')
}

export function statusOf(answer: string): number {
  return Number(answer.split(' ')[1])
}

export function headerOf(message: string, name: string): string | null {
  const line = message.split('\r\n').find((text) => text.startsWith(`${name}: `))
  return line?.slice(name.length + 2) ?? null
}
