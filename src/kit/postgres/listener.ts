// A connection that receives notifications (LISTEN). It reconnects after a loss, and reports when it is connected,
// because nothing is received in between.

import pg from 'pg'
import { listenTo, STILL_THERE } from './notify-queries.js'
import type { Servers } from './servers.js'

const RECONNECT_MS = 1_000
/** Finds connections that ended without a word, as a failover or a firewall ends them. */
const CHECK_EVERY_MS = 10_000

export interface ListenerOptions {
  channel: string
  onMessage: (payload: string) => void
  onConnected: (isConnected: boolean) => void
}

export class Listener {
  readonly #servers: Servers
  readonly #settings: pg.ClientConfig
  readonly #options: ListenerOptions
  #client: pg.Client | null = null
  #timer: NodeJS.Timeout | null = null
  #isStopped = false

  constructor(servers: Servers, settings: pg.ClientConfig, options: ListenerOptions) {
    this.#servers = servers
    this.#settings = settings
    this.#options = options
    void this.#connect()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#client?.end().catch(() => {}) // it was lost already
  }

  async #connect(): Promise<void> {
    try {
      if (this.#servers.writable === null) await this.#servers.search()
      const { channel, onMessage, onConnected } = this.#options
      const client = new pg.Client({
        ...this.#settings,
        connectionString: this.#servers.writable!,
        query_timeout: CHECK_EVERY_MS,
      })
      this.#client = client
      client.on('error', () => this.#lost(client))
      client.on('end', () => this.#lost(client))
      client.on('notification', ({ payload = '' }) => onMessage(payload))
      await client.connect()
      await client.query(listenTo(channel))
      if (this.#client !== client || this.#isStopped) return
      onConnected(true)
      this.#check(client)
    } catch {
      this.#lost(this.#client)
    }
  }

  #check(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      client.query(STILL_THERE).then(
        () => this.#client === client && !this.#isStopped && this.#check(client),
        () => this.#lost(client),
      )
    }, CHECK_EVERY_MS)
    this.#timer.unref()
  }

  #lost(client: pg.Client | null): void {
    if (this.#isStopped || this.#client !== client) return
    this.#client = null
    if (this.#timer) clearTimeout(this.#timer)
    client?.end().catch(() => {}) // it was lost already
    this.#servers.forget()
    this.#options.onConnected(false)
    this.#timer = setTimeout(() => void this.#connect(), RECONNECT_MS)
    this.#timer.unref()
  }
}
