// Connections on which a statement is sent before the one ahead of it is answered: the database goes
// from one to the next without waiting for us. For single statements that come in numbers, each a
// transaction of its own. What has the same key runs in order; everything else uses the pool.

import pg from 'pg'
import type { Statement } from './sql.js'

/** One is enough for an account; several accounts may run side by side. */
const COUNT = 4

export class Pipelines {
  readonly #settings: pg.ClientConfig
  readonly #onError: (error: Error) => void
  readonly #clients: (Promise<pg.Client> | undefined)[] = new Array(COUNT)

  constructor(settings: pg.ClientConfig, onError: (error: Error) => void) {
    this.#settings = settings
    this.#onError = onError
  }

  async query<Row extends object>(key: string, statement: Statement): Promise<Row[]> {
    const client = await this.#clientOf(placeOf(key))
    return (await client.query<Row>(statement)).rows
  }

  async end(): Promise<void> {
    const open = this.#clients.splice(0)
    await Promise.all(open.map((client) => client?.then((known) => known.end()).catch(() => {})))
  }

  #clientOf(place: number): Promise<pg.Client> {
    const known = this.#clients[place]
    if (known) return known
    const opened = this.#open(() => {
      if (this.#clients[place] === opened) this.#clients[place] = undefined
    })
    this.#clients[place] = opened
    return opened
  }

  // A connection that breaks fails what is on it; the next statement opens another.
  async #open(forget: () => void): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#settings, pipeline: true } as pg.ClientConfig)
    client.on('error', (error) => {
      forget()
      this.#onError(error)
    })
    client.on('end', forget)
    try {
      await client.connect()
    } catch (error) {
      forget()
      throw error
    }
    return client
  }
}

function placeOf(key: string): number {
  let hash = 0
  for (let i = 0; i < key.length; i += 1) hash = (hash * 31 + key.charCodeAt(i)) >>> 0
  return hash % COUNT
}
