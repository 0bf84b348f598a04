// SIP over TCP and TLS. The source is checked first: others are closed without a byte, before any handshake. A handshake
// that does not finish in time affects nobody else.

import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket, type TlsOptions } from 'node:tls'
import type { Source } from '../sip/message/via.js'
import {
  type ConnectionShare,
  type MessageAnswerer,
  noCounts,
  type SipListener,
} from './listener.js'
import { StreamConnection, type StreamTimes, USUAL_TIMES } from './stream-connection.js'

export interface StreamListenerOptions {
  host: string
  /** 0: any free port. */
  port: number
  /** Absent: no TLS. */
  tls?: Pick<TlsOptions, 'cert' | 'key'> | null
  connectionsMax: number
  /** Connections from one address. Default: a quarter of all. */
  connectionsPerSourceMax?: number
  times?: Partial<StreamTimes> & { handshakeMs?: number }
}

const HANDSHAKE_MS = 5_000

/** Rejects if the address is not available. */
export async function listenStreams(
  options: StreamListenerOptions,
  answerer: MessageAnswerer,
): Promise<SipListener> {
  const connections = new Connections(options, answerer)
  const server = createServer((socket) => connections.take(socket))
  server.listen({ host: options.host, port: options.port })
  await once(server, 'listening')
  // The error concerns a single connection, for example one too many; the listener keeps working.
  server.on('error', () => {})
  return {
    port: portOf(server),
    counts: connections.counts,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      await Promise.all([closed, connections.end()])
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

class Connections {
  readonly counts = noCounts()
  readonly #answerer: MessageAnswerer
  readonly #times: StreamTimes & { handshakeMs: number }
  readonly #max: number
  readonly #perSourceMax: number
  /** Null: no TLS. */
  readonly #context: SecureContext | null
  readonly #perSource = new Map<string, number>()
  readonly #perTrunk = new Map<string, number>()
  /** By raw socket; null during the handshake. */
  readonly #open = new Map<Socket, StreamConnection | null>()

  constructor(options: StreamListenerOptions, answerer: MessageAnswerer) {
    const { connectionsMax, connectionsPerSourceMax, tls, times } = options
    this.#answerer = answerer
    this.#times = { ...USUAL_TIMES, handshakeMs: HANDSHAKE_MS, ...times }
    this.#max = connectionsMax
    this.#perSourceMax = connectionsPerSourceMax ?? Math.ceil(connectionsMax / 4)
    this.#context = tls ? createSecureContext({ ...tls, minVersion: 'TLSv1.2' }) : null
  }

  take(socket: Socket): void {
    socket.on('error', ignore)
    const { remoteAddress: address, remotePort: port } = socket
    const transport = this.#context === null ? 'tcp' : 'tls'
    const share = address === undefined ? null : this.#answerer.shareOf({ transport, address })
    if (address === undefined || port === undefined || !share || !this.#admits(share, address)) {
      this.counts.refused += 1
      socket.destroy()
      return
    }
    this.#keep(socket, address, share.trunk)
    const source = { transport, address, port } as const
    if (this.#context === null) this.#talk(socket, socket, source)
    else this.#shakeHands(this.#context, socket, source)
  }

  /** Gives peers a moment to read the last answers. */
  async end(): Promise<void> {
    const open = [...this.#open]
    const closed = open.map(([socket]) => new Promise((resolve) => socket.once('close', resolve)))
    for (const [socket, connection] of open) {
      if (connection === null) socket.destroy()
      else connection.end()
    }
    await Promise.all(closed)
  }

  #admits(share: ConnectionShare, address: string): boolean {
    if ((this.#perSource.get(address) ?? 0) >= this.#perSourceMax) return false
    return this.#open.size + this.#reservedForOthers(share) < this.#max
  }

  /** Each trunk has a guaranteed share of the connections. */
  #reservedForOthers({ trunk, trunks }: ConnectionShare): number {
    const share = Math.floor(this.#max / trunks)
    if ((this.#perTrunk.get(trunk) ?? 0) < share) return 0
    let reserved = (trunks - 1) * share
    for (const [other, open] of this.#perTrunk) {
      if (other !== trunk) reserved -= Math.min(share, open)
    }
    return Math.max(0, reserved)
  }

  #keep(socket: Socket, address: string, trunk: string): void {
    this.#open.set(socket, null)
    add(this.#perSource, address, 1)
    add(this.#perTrunk, trunk, 1)
    this.counts.connections = this.#open.size
    socket.once('close', () => {
      this.#open.delete(socket)
      this.counts.connections = this.#open.size
      add(this.#perSource, address, -1)
      add(this.#perTrunk, trunk, -1)
    })
  }

  #shakeHands(secureContext: SecureContext, socket: Socket, source: Source): void {
    const secured = new TLSSocket(socket, { isServer: true, secureContext })
    const timer = setTimeout(() => {
      this.counts.cut += 1
      socket.destroy()
    }, this.#times.handshakeMs)
    secured.on('error', ignore)
    secured.once('secure', () => {
      clearTimeout(timer)
      this.#talk(socket, secured, source)
    })
    secured.once('close', () => {
      clearTimeout(timer)
      socket.destroy()
    })
  }

  #talk(bare: Socket, socket: Socket, source: Source): void {
    if (!this.#open.has(bare)) return // closed in the meantime
    const onCut = () => {
      this.counts.cut += 1
    }
    const connection = new StreamConnection(socket, source, this.#answerer, this.#times, onCut)
    this.#open.set(bare, connection)
  }
}

function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

/** The close handler deals with failed connections. An error without a listener would end the process. */
function ignore(): void {}
