// A connection that receives notifications (LISTEN), and the turns of this process: advisory locks that one process at
// a time holds. It reconnects after a loss, and reports when it is connected, because nothing is received in between.

import pg from 'pg'
import { listenTo, SILENCE_LIMIT, takeTurns } from './notify-queries.js'
import type { Servers } from './servers.js'

const RECONNECT_MS = 1_000
/**
 * Finds connections that ended without a word, as a failover or a firewall ends them, and turns that became free. The
 * server ends a connection that is silent for longer (SILENCE_LIMIT), so a stopped process keeps no turn.
 */
const CHECK_EVERY_MS = 5_000
const ANSWER_MS_MAX = 10_000

export interface ListenerOptions {
  channel: string
  onMessage: (payload: string) => void
  /** Names of what one process at a time does. */
  turns: readonly string[]
  onTurns: (taken: readonly string[]) => void
  onConnected: (isConnected: boolean) => void
}

export class Listener {
  readonly #servers: Servers
  readonly #settings: pg.ClientConfig
  readonly #options: ListenerOptions
  #client: pg.Client | null = null
  readonly #held = new Set<string>()
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
        query_timeout: ANSWER_MS_MAX,
      })
      this.#client = client
      client.on('error', () => this.#lost(client))
      client.on('end', () => this.#lost(client))
      client.on('notification', ({ payload = '' }) => onMessage(payload))
      await client.connect()
      await client.query(SILENCE_LIMIT)
      await client.query(listenTo(channel))
      if (this.#client !== client || this.#isStopped) return
      await this.#takeTurns(client)
      onConnected(true)
      this.#check(client)
    } catch {
      this.#lost(this.#client)
    }
  }

  #check(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      this.#takeTurns(client).then(
        () => this.#client === client && !this.#isStopped && this.#check(client),
        () => this.#lost(client),
      )
    }, CHECK_EVERY_MS)
    this.#timer.unref()
  }

  /** Also shows that the connection still works. */
  async #takeTurns(client: pg.Client): Promise<void> {
    const free = this.#options.turns.filter((turn) => !this.#held.has(turn))
    const { rows } = await client.query<{ turn: string }>(takeTurns(free))
    if (this.#client !== client || rows.length === 0) return
    const taken = rows.map(({ turn }) => turn)
    for (const turn of taken) this.#held.add(turn)
    this.#options.onTurns(taken)
  }

  holds(turn: string): boolean {
    return this.#held.has(turn)
  }

  #lost(client: pg.Client | null): void {
    if (this.#isStopped || this.#client !== client) return
    this.#client = null
    this.#held.clear()
    if (this.#timer) clearTimeout(this.#timer)
    client?.end().catch(() => {}) // it was lost already
    this.#servers.forget()
    this.#options.onConnected(false)
    this.#timer = setTimeout(() => void this.#connect(), RECONNECT_MS)
    this.#timer.unref()
  }
}
