// The connections to one origin: up to a maximum, one request at a time on each, kept for the next one. Requests that
// find none free wait in order.

import type { Socket } from 'node:net'
import { closedFailure, exchangeFailure, HttpFailure } from './http-failure.js'
import { InvalidResponse, ResponseReader } from './response-reader.js'

/** A request, and who gets its outcome. */
export interface OutgoingExchange {
  readonly method: string
  /** Head and body. */
  readonly bytes: Buffer
  /** Whether it was given up while it waited. */
  readonly isOver: boolean
  /** Right before its first byte. False: it is not sent. */
  onConnection: (connection: HttpConnection) => boolean
  onHead: (status: number, headers: Record<string, string>) => void
  onBody: (bytes: Buffer) => void
  onEnd: () => void
  fail: (error: HttpFailure) => void
}

export interface OriginOptions {
  connect: (done: (error: Error | null, socket: Socket | null) => void) => void
  connectionsMax: number
  /** No request waits, and no connection is open. */
  onEmpty: () => void
}

// Without a hint from the server, an idle connection is closed before common servers (5 s in Node) close it. With a hint
// it may live longer, but not long enough for thousands of endpoints with one event each to pile up sockets.
const IDLE_MS = 4_000
const IDLE_MS_MAX = 30_000
/** A server that names a time may close this much earlier, by our clock. */
const EARLIER_MS = 2_000

export class HttpOrigin {
  readonly #options: OriginOptions
  readonly #waiting: OutgoingExchange[] = []
  /** The last one was used last. */
  readonly #idle: HttpConnection[] = []
  readonly #open = new Set<HttpConnection>()
  #connecting = 0
  #isClosed = false

  constructor(options: OriginOptions) {
    this.#options = options
  }

  send(exchange: OutgoingExchange): void {
    this.#waiting.push(exchange)
    this.#pump()
  }

  /** Closes connections that were idle for too long. */
  closeIdle(nowMs: number): void {
    const isOver = ({ idleUntilMs }: HttpConnection) => idleUntilMs <= nowMs
    for (const connection of this.#idle.filter(isOver)) connection.close()
  }

  /** Disconnects. */
  close(): void {
    this.#isClosed = true
    for (const connection of [...this.#open]) connection.close()
  }

  #pump(): void {
    while (this.#waiting.length > 0) {
      if (this.#waiting[0]!.isOver) {
        this.#waiting.shift()
        continue
      }
      const connection = this.#takeIdle()
      if (!connection) break
      if (!connection.run(this.#waiting.shift()!)) this.#idle.push(connection)
    }
    const { connectionsMax } = this.#options
    const room = connectionsMax - this.#open.size - this.#connecting
    const missing = Math.min(room, this.#waiting.length - this.#connecting)
    for (let i = 0; i < missing; i += 1) this.#connect()
    if (this.#waiting.length + this.#open.size + this.#connecting === 0) this.#options.onEmpty()
  }

  #takeIdle(): HttpConnection | undefined {
    for (let one = this.#idle.pop(); one; one = this.#idle.pop()) {
      if (one.idleUntilMs > performance.now()) return one
      one.close()
    }
    return undefined
  }

  #connect(): void {
    this.#connecting += 1
    this.#options.connect((error, socket) => {
      this.#connecting -= 1
      if (socket && this.#isClosed) socket.destroy()
      else if (socket) this.#add(socket)
      else this.#failNext(error)
      this.#pump()
    })
  }

  #add(socket: Socket): void {
    const connection = new HttpConnection(socket, {
      onIdle: () => {
        this.#idle.push(connection)
        this.#pump()
      },
      onClose: () => {
        this.#open.delete(connection)
        const at = this.#idle.indexOf(connection)
        if (at !== -1) this.#idle.splice(at, 1)
        this.#pump()
      },
    })
    this.#open.add(connection)
    this.#idle.push(connection)
  }

  #failNext(error: Error | null): void {
    const failure =
      error instanceof HttpFailure ? error : new HttpFailure('connect', 'No connection.', error)
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (next.isOver) continue
      next.fail(failure)
      return
    }
  }
}

interface ConnectionEvents {
  onIdle: () => void
  onClose: () => void
}

export class HttpConnection {
  /** When it is too late for another request. */
  idleUntilMs = performance.now() + IDLE_MS
  readonly #socket: Socket
  readonly #events: ConnectionEvents
  #exchange: OutgoingExchange | null = null
  #reader: ResponseReader | null = null

  constructor(socket: Socket, events: ConnectionEvents) {
    this.#socket = socket.unref() // an idle one does not keep the process running
    this.#events = events
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('end', () => this.#end())
    socket.on('error', (error) => this.#fail(exchangeFailure(error)))
    socket.on('close', () => {
      this.#fail(closedFailure())
      events.onClose()
    })
  }

  /** False if it is not sent. */
  run(exchange: OutgoingExchange): boolean {
    if (!exchange.onConnection(this)) return false
    this.#exchange = exchange
    this.#reader = new ResponseReader(exchange.method, exchange)
    this.#socket.ref()
    this.#socket.write(exchange.bytes)
    return true
  }

  /** Whatever is in progress fails, unless it is over already. */
  close(): void {
    this.#socket.destroy()
  }

  #read(bytes: Buffer): void {
    const reader = this.#reader
    if (!reader) {
      this.close() // nothing was requested
      return
    }
    try {
      const extra = reader.read(bytes)
      if (reader.isDone) this.#finish(reader, extra === 0)
    } catch (error) {
      const isTheirs = error instanceof InvalidResponse
      this.#fail(
        isTheirs
          ? exchangeFailure(error)
          : new HttpFailure('protocol', 'The answer could not be read.', error),
      )
      this.close()
    }
  }

  #end(): void {
    if (this.#reader?.end()) this.#finish(this.#reader, false)
    else this.close()
  }

  #finish(reader: ResponseReader, isClean: boolean): void {
    const exchange = this.#exchange
    const keptMs = keptMsOf(reader.keptSeconds)
    this.#exchange = null
    this.#reader = null
    const isDone = isClean && this.#socket.writableLength === 0 && !this.#socket.destroyed
    if (!reader.isKept || !isDone || keptMs <= 0) this.close()
    else {
      this.idleUntilMs = performance.now() + keptMs
      this.#socket.unref()
      this.#events.onIdle()
    }
    exchange?.onEnd()
  }

  #fail(failure: HttpFailure): void {
    const exchange = this.#exchange
    this.#exchange = null
    this.#reader = null
    exchange?.fail(failure)
  }
}

function keptMsOf(seconds: number | null): number {
  return seconds === null ? IDLE_MS : Math.min(seconds * 1000 - EARLIER_MS, IDLE_MS_MAX)
}
