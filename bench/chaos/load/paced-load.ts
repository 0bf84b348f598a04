// A load generator with a fixed pace, whatever the service does: a request is due at its time, not when the previous
// one has its response. It runs in a separate process and opens one connection per waiting request, up to a limit. It
// reports its results every interval.

import { fork } from 'node:child_process'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { watchProcess } from '../processes/watchdog.js'

export interface Pace {
  port: number
  token: string
  body: string
  perSecond: number
  seconds: number
  connectionsMax: number
  intervalSeconds: number
}

export interface Interval {
  atSeconds: number
  /** Requests that were due. */
  offered: number
  accepted: number
  /** 503 with Retry-After. */
  refused: number
  /** All other responses, and connections that ended. */
  failures: number
  /** Requests that were due while all connections were busy. */
  unsent: number
  /** Of accepted requests. */
  p50Ms: number
  p99Ms: number
}

export interface Paced {
  done: Promise<Interval[]>
  stop: () => void
}

/** Resolves with all intervals when the time is over. */
export function startPaced(pace: Pace, onInterval: (interval: Interval) => void): Paced {
  const child = fork(fileURLToPath(import.meta.url), ['paced'])
  watchProcess(child)
  const intervals: Interval[] = []
  const done = new Promise<Interval[]>((resolve, reject) => {
    child.on('message', (said: Interval | 'done') => {
      if (said === 'done') return resolve(intervals)
      intervals.push(said)
      onInterval(said)
    })
    child.once('exit', (code) => reject(new Error(`the load generator ended: ${code}`)))
  })
  child.send(pace)
  return { done, stop: () => child.kill('SIGKILL') }
}

const TICK_MS = 5
const LAST_ANSWERS_MS = 3_000
const OPENED_AT_ONCE = 50
const OPENED_EVERY_MS = 50

class Generator {
  readonly #pace: Pace
  readonly #request: Buffer
  readonly #idle: Connection[] = []
  #startedAt = 0
  #connections = 0
  #due = 0
  #latencies: number[] = []
  #interval = { offered: 0, accepted: 0, refused: 0, failures: 0, unsent: 0 }

  constructor(pace: Pace) {
    this.#pace = pace
    const { token, body } = pace
    this.#request = Buffer.from(
      `POST /v1/message/send HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }

  async run(onInterval: (interval: Interval) => void): Promise<void> {
    const { seconds, intervalSeconds } = this.#pace
    await this.#open()
    this.#startedAt = performance.now()
    let told = 0
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const elapsed = (performance.now() - this.#startedAt) / 1000
        this.#catchUp(Math.min(elapsed, seconds))
        if (elapsed >= (told + 1) * intervalSeconds && elapsed < seconds) {
          told += 1
          onInterval(this.#tell(elapsed))
        }
        if (elapsed < seconds) return
        clearInterval(timer)
        resolve()
      }, TICK_MS)
    })
    await new Promise((resolve) => setTimeout(resolve, LAST_ANSWERS_MS))
    onInterval(this.#tell(seconds))
  }

  /** A few at a time: a burst would overflow the listen queue and wait for seconds in the kernel. */
  async #open(): Promise<void> {
    while (this.#connections < this.#pace.connectionsMax) {
      for (let i = 0; i < OPENED_AT_ONCE; i += 1) {
        const connection = this.#connect()
        if (connection) this.#idle.push(connection)
      }
      await new Promise((resolve) => setTimeout(resolve, OPENED_EVERY_MS))
    }
  }

  #catchUp(elapsedSeconds: number): void {
    const due = Math.floor(elapsedSeconds * this.#pace.perSecond)
    for (; this.#due < due; this.#due += 1) {
      this.#interval.offered += 1
      const connection = this.#idle.pop() ?? this.#connect()
      if (connection) connection.send(this.#request)
      else this.#interval.unsent += 1
    }
  }

  #connect(): Connection | null {
    if (this.#connections >= this.#pace.connectionsMax) return null
    this.#connections += 1
    return new Connection(this.#pace.port, {
      answered: (connection, status, isTold, ms) => {
        this.#idle.push(connection)
        if (status === 200) {
          this.#interval.accepted += 1
          this.#latencies.push(ms)
        } else if (status === 503 && isTold) this.#interval.refused += 1
        else this.#interval.failures += 1
      },
      ended: (connection, wasWaiting) => {
        this.#connections -= 1
        if (wasWaiting) this.#interval.failures += 1
        const at = this.#idle.indexOf(connection)
        if (at !== -1) this.#idle.splice(at, 1)
      },
    })
  }

  #tell(elapsed: number): Interval {
    const latencies = this.#latencies.sort((a, b) => a - b)
    const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
    const interval = {
      ...this.#interval,
      atSeconds: Math.round(elapsed),
      p50Ms: at(0.5),
      p99Ms: at(0.99),
    }
    this.#latencies = []
    this.#interval = { offered: 0, accepted: 0, refused: 0, failures: 0, unsent: 0 }
    return interval
  }
}

interface Owner {
  answered: (connection: Connection, status: number, isTold: boolean, ms: number) => void
  ended: (connection: Connection, wasWaiting: boolean) => void
}

/** Keep-alive, one request at a time. */
class Connection {
  readonly #socket: net.Socket
  readonly #owner: Owner
  #sentAt: number | null = null
  #text = ''

  constructor(port: number, owner: Owner) {
    this.#owner = owner
    this.#socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.setEncoding('latin1')
    this.#socket.on('data', (chunk: string) => this.#read(chunk))
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => owner.ended(this, this.#sentAt !== null))
  }

  send(request: Buffer): void {
    this.#sentAt = performance.now()
    this.#socket.write(request)
  }

  #read(chunk: string): void {
    this.#text += chunk
    const headEnd = this.#text.indexOf('\r\n\r\n')
    if (headEnd === -1) return
    const head = this.#text.slice(0, headEnd).toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)
    if (this.#text.length < headEnd + 4 + length || this.#sentAt === null) return
    const ms = performance.now() - this.#sentAt
    this.#sentAt = null
    this.#text = ''
    this.#owner.answered(this, Number(head.slice(9, 12)), /\nretry-after: \d/.test(head), ms)
  }
}

if (process.argv[2] === 'paced' && process.send) {
  process.on('disconnect', () => process.exit(0))
  process.once('message', async (pace) => {
    await new Generator(pace as Pace).run((interval) => process.send!(interval))
    process.send!('done', () => process.exit(0))
  })
}
