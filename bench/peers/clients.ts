// The clients of the peer benchmark, in a separate process: N connections, each with one request in progress, as fast
// as responses come or at a given pace. Every text ends with a serial number, so the carrier can record which message
// arrived and when. All times come from the machine's monotonic clock.

import { fork } from 'node:child_process'
import net from 'node:net'
import { fileURLToPath } from 'node:url'

/** Where the serial number goes in a request. */
export const SERIAL = '000000000'

export interface Sending {
  port: number
  /** A whole HTTP request, with SERIAL in it. */
  request: string
  firstSerial: number
  connections: number
  seconds: number
  /** Messages per second. Null sends as fast as responses come. */
  pace: number | null
}

/** By index: a message, when it was due, when its response came, and whether it succeeded. */
export interface Sent {
  serials: Float64Array
  sentMs: Float64Array
  answeredMs: Float64Array
  isAccepted: Uint8Array
  /** Connections that ended before the clients did. */
  cut: number
}

export const nowMs = () => Number(process.hrtime.bigint()) / 1e6

export interface Started {
  beganMs: number
  sent: Promise<Sent>
}

/** Resolves when the clients start, because a process may start slowly. */
export async function startClients(sending: Sending): Promise<Started> {
  const child = fork(fileURLToPath(import.meta.url), ['clients'], { serialization: 'advanced' })
  const said = <T>() =>
    new Promise<T>((resolve, reject) => {
      child.once('message', (it) => resolve(it as T))
      child.once('exit', (code) => reject(new Error(`the clients ended: ${code}`)))
    })
  child.send(sending)
  const beganMs = await said<number>()
  return { beganMs, sent: said<Sent>() }
}

if (process.argv[2] === 'clients' && process.send) {
  process.once('message', async (sending) => {
    const clients = new Clients(sending as Sending)
    process.send!(nowMs())
    const sent = await clients.run()
    process.send!(sent, () => process.exit(0))
  })
}

class Clients {
  readonly #sending: Sending
  readonly #template: Buffer
  readonly #serialAt: number
  readonly #idle: ((dueMs: number) => void)[] = []
  readonly #serials: number[] = []
  readonly #sentMs: number[] = []
  readonly #answeredMs: number[] = []
  readonly #isAccepted: number[] = []
  #next: number
  #cut = 0
  #isEnding = false

  constructor(sending: Sending) {
    this.#sending = sending
    this.#template = Buffer.from(sending.request)
    this.#serialAt = this.#template.lastIndexOf(SERIAL)
    this.#next = sending.firstSerial
  }

  async run(): Promise<Sent> {
    const { connections, seconds, pace } = this.#sending
    const sockets = Array.from({ length: connections }, () => this.#connect())
    if (pace !== null) this.#keepPace(pace)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    this.#isEnding = true
    await new Promise((resolve) => setTimeout(resolve, 500)) // for the last responses
    for (const socket of sockets) socket.destroy()
    return {
      serials: Float64Array.from(this.#serials),
      sentMs: Float64Array.from(this.#sentMs),
      answeredMs: Float64Array.from(this.#answeredMs),
      isAccepted: Uint8Array.from(this.#isAccepted),
      cut: this.#cut,
    }
  }

  #connect(): net.Socket {
    const request = Buffer.from(this.#template)
    const socket = net.connect({ port: this.#sending.port, host: '127.0.0.1', noDelay: true })
    let serial = 0
    let dueMs = 0
    const send = (due: number) => {
      serial = this.#next
      this.#next += 1
      dueMs = due
      request.write(String(serial).padStart(SERIAL.length, '0'), this.#serialAt, 'latin1')
      socket.write(Buffer.from(request))
    }
    const onAnswer = (isAccepted: boolean) => {
      const ms = nowMs()
      this.#serials.push(serial)
      this.#sentMs.push(dueMs)
      this.#answeredMs.push(ms)
      this.#isAccepted.push(isAccepted ? 1 : 0)
      if (!this.#isEnding) this.#goOn(send, ms)
    }
    socket.on('connect', () => this.#goOn(send, nowMs()))
    socket.on('data', answers(onAnswer))
    socket.on('error', () => {})
    socket.on('close', () => {
      if (!this.#isEnding) this.#cut += 1
    })
    return socket
  }

  #goOn(send: (dueMs: number) => void, ms: number): void {
    if (this.#sending.pace === null) send(ms)
    else this.#idle.push(send)
  }

  /** A message that is due while all connections are busy waits, and its wait counts. */
  #keepPace(perSecond: number): void {
    const began = nowMs()
    let count = 0
    const timer = setInterval(() => {
      if (this.#isEnding) return clearInterval(timer)
      const due = ((nowMs() - began) * perSecond) / 1000
      while (count < due && this.#idle.length > 0) {
        this.#idle.shift()!(began + (count * 1000) / perSecond)
        count += 1
      }
    }, 1)
  }
}

/** Splits a stream into HTTP responses. Each has a length, and 2xx is a success. */
function answers(onAnswer: (isAccepted: boolean) => void): (chunk: Buffer) => void {
  let kept = ''
  return (chunk) => {
    kept += chunk.toString('latin1')
    for (;;) {
      const headEnd = kept.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const [, length = '0'] = /content-length: *(\d+)/i.exec(kept) ?? []
      const end = headEnd + 4 + Number(length)
      if (kept.length < end) return
      const isAccepted = kept[9] === '2'
      kept = kept.slice(end)
      onAnswer(isAccepted)
    }
  }
}
