// Reads plain requests (plain-request.ts) straight from their connections and writes the responses there, because
// Node's request and response objects cost more than the send itself. A connection whose next request is anything else
// goes to Node's HTTP server for good, with all bytes that were not handled yet.

import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../kit/clock.js'
import type { AddressOf } from '../connections/client-address.js'
import type { Arrival, FastPath } from './arrival.js'
import { endOfHead, type PlainRequest, readPlainHead } from './plain-request.js'

const CHECK_MS = 1_000
/** A body that follows its head. A longer one is left to Node before it is read. */
const WAITING_BYTES_MAX = 32_768
/** Then Node waits for the rest of a request, with its own limits. */
const WAITING_MS_MAX = 5_000
/** Requests in progress when the service stops. */
const STOP_MS_MAX = 5_000

export interface PlainOptions {
  clock: Clock
  fastPath: FastPath
  addressOf: AddressOf
  keepAliveMs: number
  /** How long a connection may stay silent at first. */
  firstByteMs: number
}

/** Runs before the server's own listeners. Returns the function to use when the server stops. */
export function readPlainRequests(server: Server, options: PlainOptions): () => void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  const pool = new PlainConnections(options, {
    handOver: (socket) => {
      for (const listen of listeners) listen.call(server, socket)
    },
    timeOut: (socket) => {
      const error = Object.assign(new Error('no request'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      if (!server.emit('clientError', error, socket)) socket.destroy()
    },
  })
  server.on('connection', (socket: Socket) => pool.add(socket))
  return () => pool.stop()
}

interface Node {
  handOver: (socket: Socket) => void
  timeOut: (socket: Socket) => void
}

class PlainConnections {
  readonly #open = new Set<PlainConnection>()
  #timer: NodeJS.Timeout | null = null
  #limit: NodeJS.Timeout | null = null
  #isStopping = false

  constructor(
    readonly options: PlainOptions,
    readonly node: Node,
  ) {}

  add(socket: Socket): void {
    this.#open.add(new PlainConnection(this, socket))
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref()
    if (this.#isStopping) this.#limitStop()
  }

  remove(connection: PlainConnection): void {
    this.#open.delete(connection)
    if (this.#open.size > 0) return
    if (this.#timer) clearInterval(this.#timer)
    if (this.#limit) clearTimeout(this.#limit)
    this.#timer = this.#limit = null
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  stop(): void {
    this.#isStopping = true
    for (const connection of this.#open) connection.stop()
    if (this.#open.size > 0) this.#limitStop()
  }

  /** A timer keeps the whole service in memory, so there is none without connections. */
  #limitStop(): void {
    this.#limit ??= setTimeout(() => {
      for (const connection of this.#open) connection.socket.destroy()
    }, STOP_MS_MAX).unref()
  }

  #check(): void {
    for (const connection of this.#open) connection.check()
  }
}

const NOTHING: Buffer = Buffer.alloc(0)

class PlainConnection implements Arrival {
  readonly method = 'POST'
  url = ''
  headers: Record<string, string> = {}
  #body: Buffer = NOTHING
  /** Bytes after the request in progress, or the start of one. */
  #rest: Buffer = NOTHING
  #isBusy = false
  /** For a body that has not arrived with its head. */
  #isWaiting = false
  #isEnded = false
  #requests = 0
  /** For how many checks nothing has happened. */
  #checks = 0
  readonly #onData = (chunk: Buffer) => this.#receive(chunk)
  readonly #onEnd = () => this.#end()
  readonly #onClose = () => this.#pool.remove(this)
  readonly #onDrain = () => this.#next()
  readonly #pool: PlainConnections

  constructor(
    pool: PlainConnections,
    readonly socket: Socket,
  ) {
    this.#pool = pool
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
    socket.on('error', ignore)
  }

  /** Once a second. */
  check(): void {
    const { firstByteMs, keepAliveMs } = this.#pool.options
    if (this.#isBusy) return
    this.#checks += 1
    const idleMs = (this.#checks - 1) * CHECK_MS
    if (this.#rest.length > 0) {
      if (idleMs >= WAITING_MS_MAX) this.#handOver()
    } else if (this.#requests > 0) {
      if (idleMs >= keepAliveMs) this.socket.destroy()
    } else if (idleMs >= firstByteMs) {
      this.#leave()
      this.socket.on('error', ignore)
      this.#pool.node.timeOut(this.socket)
    }
  }

  stop(): void {
    if (!this.#isBusy && this.#rest.length === 0) this.socket.destroySoon()
  }

  get address(): string {
    return this.#pool.options.addressOf(this.socket, this.headers)
  }

  isGone(): boolean {
    return this.#isEnded || this.socket.destroyed
  }

  readBody(_length: number, whole: (bytes: Buffer) => void): void {
    whole(this.#body)
  }

  reply(status: number, head: readonly string[], text: string, isLast: boolean): void {
    let lines = STATUS_LINES[status] ?? `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
    for (let i = 0; i < head.length; i += 2) lines += `${head[i]}: ${head[i + 1]}\r\n`
    lines += dateLine(this.#pool.options.clock)
    lines += isLast ? 'Connection: close\r\n' : keepAliveLines(this.#pool.options.keepAliveMs)
    const isFlowing = this.socket.write(`${lines}\r\n${text}`, 'utf8')
    this.#requests += 1
    // It stays busy, and in the pool: a client that does not read this must not delay a stop.
    if (isLast) this.socket.off('data', this.#onData).resume().destroySoon()
    else if (isFlowing) this.#next()
    else this.socket.once('drain', this.#onDrain) // a client that reads slowly gets no further response meanwhile
  }

  #receive(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    if (this.#isBusy) this.socket.pause()
    else this.#read()
  }

  #next(): void {
    this.#isBusy = false
    this.#checks = 0
    if (this.socket.isPaused()) this.socket.resume()
    if (this.#rest.length > 0) this.#read()
    else if (this.#pool.isStopping) this.socket.destroySoon()
  }

  #read(): void {
    const bytes = this.#rest
    const bodyStart = endOfHead(bytes)
    const request = bodyStart === -1 ? null : readPlainHead(bytes, bodyStart)
    const end = request ? request.bodyStart + request.bodyLength : 0
    if (request && bytes.length >= end) {
      this.#handle(request, bytes, end)
    } else if (request && !this.#isWaiting && request.bodyLength <= WAITING_BYTES_MAX) {
      this.#isWaiting = true // once, because each time all of it is read again
      this.#checks = 0
    } else {
      this.#handOver()
    }
  }

  #handle(request: PlainRequest, bytes: Buffer, end: number): void {
    this.url = request.url
    this.headers = request.headers
    this.#body = bytes.subarray(request.bodyStart, end)
    this.#rest = NOTHING
    this.#isWaiting = false
    this.#isBusy = true
    if (this.#pool.options.fastPath(this)) {
      // What follows waits. With a response written meanwhile, it was not yet there to be read.
      if (end < bytes.length) this.#keep(bytes.subarray(end))
      return
    }
    this.#isBusy = false
    this.#rest = bytes
    this.#handOver()
  }

  #keep(rest: Buffer): void {
    this.#rest = rest
    if (!this.#isBusy) this.#read()
  }

  #handOver(): void {
    const bytes = this.#rest
    this.#rest = NOTHING
    this.#leave()
    if (this.socket.isPaused()) this.socket.resume()
    this.#pool.node.handOver(this.socket)
    if (bytes.length > 0) this.socket.emit('data', bytes)
    if (this.#isEnded) this.socket.emit('end')
  }

  /** The client sends nothing more. Like Node, we then close, without a response to what is in progress. */
  #end(): void {
    this.#isEnded = true
    if (this.#rest.length > 0 && !this.#isBusy) this.#handOver()
    else this.socket.end()
  }

  #leave(): void {
    const { socket } = this
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    socket.off('drain', this.#onDrain).off('error', ignore)
    this.#pool.remove(this)
  }
}

const STATUS_LINES: Record<number, string> = {
  200: 'HTTP/1.1 200 OK\r\n',
  201: 'HTTP/1.1 201 Created\r\n',
}

function ignore(): void {
  // The connection closes, which is all there is to do.
}

let date = { second: 0, line: '' }

function dateLine(clock: Clock): string {
  const now = clock.machineNow()
  const second = Math.floor(now.getTime() / 1000)
  if (second !== date.second) date = { second, line: `Date: ${now.toUTCString()}\r\n` }
  return date.line
}

function keepAliveLines(ms: number): string {
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(ms / 1000)}\r\n`
}
