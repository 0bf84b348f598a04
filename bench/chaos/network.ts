// A network between two programs on this machine. It can be cut (both sides see a closed connection and no new ones
// succeed) or silent (no side notices, and data in flight is lost).

import net, { type AddressInfo } from 'node:net'

/** A loopback port, or the path of a socket. */
export type Target = number | string

interface Pair {
  client: net.Socket
  upstream: net.Socket | null
}

export class Network {
  readonly #server: net.Server
  readonly #pairs = new Set<Pair>()
  #state: 'open' | 'cut' | 'silent' = 'open'
  /** Stays the same after the end, so late clients are refused and cause no error here. */
  #port = 0

  private constructor(readonly target: Target) {
    this.#server = net.createServer((client) => this.#connect(client))
  }

  static async open(target: Target): Promise<Network> {
    const network = new Network(target)
    await new Promise<void>((resolve) => network.#server.listen(0, '127.0.0.1', resolve))
    network.#port = (network.#server.address() as AddressInfo).port
    return network
  }

  get port(): number {
    return this.#port
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  cut(): void {
    this.#state = 'cut'
    this.#endAll()
  }

  silence(): void {
    this.#state = 'silent'
    for (const { client, upstream } of this.#pairs) {
      client.unpipe()
      upstream?.unpipe()
      client.pause()
      upstream?.pause()
    }
  }

  /** Connections that were silent end: their bytes never arrive, not even late. */
  heal(): void {
    if (this.#state === 'silent') this.#endAll()
    this.#state = 'open'
  }

  async close(): Promise<void> {
    this.#endAll()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  #connect(client: net.Socket): void {
    client.on('error', () => {})
    if (this.#state === 'cut') {
      client.destroy()
      return
    }
    const pair: Pair = { client, upstream: null }
    this.#pairs.add(pair)
    client.on('close', () => this.#end(pair))
    if (this.#state === 'silent') client.pause()
    else this.#join(pair)
  }

  #join(pair: Pair): void {
    const { client } = pair
    const upstream =
      typeof this.target === 'number'
        ? net.connect(this.target, '127.0.0.1')
        : net.connect(this.target)
    pair.upstream = upstream
    upstream.on('error', () => {})
    upstream.on('close', () => this.#end(pair))
    client.setNoDelay(true)
    upstream.setNoDelay(true)
    client.pipe(upstream)
    upstream.pipe(client)
  }

  #endAll(): void {
    for (const pair of [...this.#pairs]) this.#end(pair)
  }

  // Data that one side wrote before it closed has to arrive, so the other side is closed after the last byte.
  #end(pair: Pair): void {
    if (!this.#pairs.delete(pair)) return
    const { client, upstream } = pair
    if (this.#state === 'open') {
      client.end(() => client.destroy())
      upstream?.end(() => upstream.destroy())
    } else {
      client.destroy()
      upstream?.destroy()
    }
  }
}
