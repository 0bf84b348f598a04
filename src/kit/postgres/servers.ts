// The servers of one cluster, and which of them accepts writes. If that is unknown, all are queried at once:
// at the first connection, and after one was lost or refused to write. A single server is not queried.

import pg from 'pg'
import { DatabaseAbandoned, DatabaseFailure } from './db-failure.js'

export class Servers {
  readonly #urls: readonly string[]
  readonly #connectMs: number
  /** Null while unknown. */
  #writable: string | null
  #search: Promise<void> | null = null
  #giveUp: ((reason: Error) => void) | null = null

  constructor(urls: readonly string[], connectMs: number) {
    this.#urls = urls
    this.#connectMs = connectMs
    this.#writable = urls.length === 1 ? urls[0]! : null
  }

  /** Whether another server may accept writes if this one does not. */
  get areSeveral(): boolean {
    return this.#urls.length > 1
  }

  /** The address for the next connection; null: search first. */
  get writable(): string | null {
    return this.#writable
  }

  /** A connection there was lost, or could not write: the next connection searches again. */
  forget(): void {
    if (this.areSeveral) this.#writable = null
  }

  /** One search at a time, for all who wait. Rejects if no server accepts writes. */
  search(): Promise<void> {
    this.#search ??= this.#askOrGiveUp().finally(() => {
      this.#search = null
    })
    return this.#search
  }

  /** Ends the wait of all who wait for a search. */
  abandon(): void {
    this.#giveUp?.(new DatabaseAbandoned())
  }

  /** Whether any of them responds within this time, whether or not it accepts writes. */
  async isAnswering(withinMs: number): Promise<boolean> {
    const probes = this.#urls.map((url) => ask(url, withinMs))
    return Promise.any(probes).then(
      () => true,
      () => false,
    )
  }

  #askOrGiveUp(): Promise<void> {
    const abandoned = new Promise<never>((_, reject) => {
      this.#giveUp = reject
    })
    return Promise.race([this.#ask(), abandoned])
  }

  async #ask(): Promise<void> {
    const probes = this.#urls.map(async (url) => {
      await askForWrites(url, this.#connectMs)
      return url
    })
    try {
      this.#writable = await Promise.any(probes)
    } catch (error) {
      const [first] = (error as AggregateError).errors as Error[]
      const words = `none of the ${this.#urls.length} servers takes writes: ${first?.message}`
      throw new DatabaseFailure('database_unavailable', words)
    }
  }
}

/** Rejects unless it accepts writes. */
async function askForWrites(url: string, connectMs: number): Promise<void> {
  if ((await ask(url, connectMs)) !== 'off') throw new Error('it is a standby')
}

/** Its value of `transaction_read_only`. */
async function ask(url: string, connectMs: number): Promise<string> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'longcode',
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
  })
  client.on('error', () => {}) // reported by the query that uses it
  try {
    await client.connect()
    const { rows } = await client.query('show transaction_read_only')
    return rows[0]?.transaction_read_only
  } finally {
    client.end().catch(() => {})
  }
}
