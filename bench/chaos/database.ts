// A PostgreSQL of its own, in a folder of its own, that can be ended while everybody uses it: it is started again at once,
// at the same address (kit/embedded does that).

import { chmodSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/kit/embedded/database.js'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import { migrate } from '../../src/kit/postgres/migrate.js'

export class ChaosDatabase {
  readonly #server: EmbeddedDatabase
  readonly #socketDir: string

  private constructor(
    server: EmbeddedDatabase,
    /** Past every network: for whoever looks on. */
    readonly db: Database,
  ) {
    this.#server = server
    this.#socketDir = decodeURIComponent(new URL(server.url).hostname)
  }

  static async start(folder: string): Promise<ChaosDatabase> {
    chmodSync(folder, 0o755) // the server may run as another user
    const server = await startEmbeddedDatabase({
      dataDir: path.join(folder, 'database'),
      note: () => {},
    })
    const db = openDatabase({
      url: server.url,
      poolMax: 2,
      applicationName: 'chaos',
      onError: () => {},
      statementMs: 120_000,
    })
    await migrate(db)
    return new ChaosDatabase(server, db)
  }

  get socket(): string {
    return path.join(this.#socketDir, '.s.PGSQL.5432')
  }

  /** `fast`: connections are cut, the rest is orderly. `crash`: at once, and the journal is replayed. */
  end(how: 'fast' | 'crash'): void {
    const [pid] = readFileSync(`${this.socket}.lock`, 'utf8').split('\n', 1)
    process.kill(Number(pid), how === 'fast' ? 'SIGINT' : 'SIGQUIT')
  }

  async close(): Promise<void> {
    await this.db.end()
    await this.#server.stop()
  }
}
