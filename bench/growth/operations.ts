// The operations of the growth benchmark, one after the other, each in its own process: sends wait for the dispatcher,
// which starts when all are accepted, and webhooks wait for the deliverer. Only one process works at a time.

import { setTimeout as sleep } from 'node:timers/promises'
import { idFloor } from '../../src/kit/ids.js'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { median } from '../accept.js'
import { type Customer, type Running, startServer } from '../stage.js'
import { call, customerOf, messageOf } from './real-rows.js'
import { spent, usedBy, usedByDatabase } from './used-cpu.js'

const MESSAGES = 800
const READS = 300
const AT_ONCE = 16

export const OPERATIONS = ['send', 'get', 'list', 'claim', 'deliver'] as const
export type Operation = (typeof OPERATIONS)[number]

/** Per request or message, in microseconds: service CPU, database CPU, and wall-clock time. */
export interface Cost {
  serviceUs: number
  databaseUs: number
  wallUs: number
}

const ROLES = ['api', 'dispatch', 'deliver'] as const

export class Subject {
  readonly db: Database
  readonly #customers: readonly Customer[]
  readonly #processes: Record<(typeof ROLES)[number], Running>
  #ids: string[] = []
  #nth = 0
  /** The lowest id that a message of this turn can have. */
  #since = ''

  static async open(databaseUrl: string, customers: readonly Customer[]): Promise<Subject> {
    const started: Running[] = []
    for (const role of ROLES) {
      started.push(
        await startServer({ databaseUrl }, { LONGCODE_ROLES: role, LONGCODE_LOG_LEVEL: 'error' }),
      )
    }
    const [api, dispatch, deliver] = started as [Running, Running, Running]
    return new Subject(databaseUrl, customers, { api, dispatch, deliver })
  }

  private constructor(
    url: string,
    customers: readonly Customer[],
    processes: Record<(typeof ROLES)[number], Running>,
  ) {
    const common = { poolMax: 2, applicationName: 'bench', onError: () => {} }
    this.db = openDatabase({ url, ...common })
    this.#customers = customers
    this.#processes = processes
    for (const role of ROLES) this.#signal(role, 'SIGSTOP')
  }

  async takeTurn(): Promise<Record<Operation, Cost>> {
    const send = await this.#measure('api', MESSAGES, () => this.#sendAll())
    const get = await this.#measure('api', READS, () => this.#getAll())
    const list = await this.#measure('api', READS, () => this.#listAll())
    const claim = await this.#measure('dispatch', MESSAGES, () => this.#untilNone('messages'))
    const deliver = await this.#measure('deliver', 2 * MESSAGES, () => this.#untilNone('webhooks'))
    return { send, get, list, claim, deliver }
  }

  async close(): Promise<void> {
    await this.db.end()
    for (const role of ROLES) {
      this.#signal(role, 'SIGCONT')
      await this.#processes[role].stop()
    }
  }

  /** `work` returns the latencies of single requests, if it has any. */
  async #measure(
    role: (typeof ROLES)[number],
    count: number,
    work: () => Promise<number[]>,
  ): Promise<Cost> {
    const { pid } = this.#processes[role]
    const before = [usedBy([pid]), await usedByDatabase(this.db)] as const
    const startedAt = performance.now()
    this.#signal(role, 'SIGCONT')
    const latencies = await work()
    const wallMs = performance.now() - startedAt
    this.#signal(role, 'SIGSTOP')
    const after = [usedBy([pid]), await usedByDatabase(this.db)] as const
    return {
      serviceUs: spent(before[0], after[0]) / count,
      databaseUs: spent(before[1], after[1]) / count,
      wallUs: (latencies.length > 0 ? median(latencies) : wallMs / count) * 1000,
    }
  }

  async #sendAll(): Promise<number[]> {
    const ids: string[] = []
    this.#since = idFloor('msg', new Date())
    const latencies = await this.#eachOf(MESSAGES, async (nth) => {
      const customer = customerOf(this.#customers, nth)
      const path = '/v1/message/send'
      const { body } = await call(this.#port, customer, path, messageOf(customer, this.#nth + nth))
      if (customer === this.#customers[0]) ids.push(body.id as string)
    })
    this.#nth += MESSAGES
    this.#ids = ids
    return latencies
  }

  #getAll(): Promise<number[]> {
    const [customer] = this.#customers as [Customer]
    return this.#eachOf(READS, (nth) =>
      call(this.#port, customer, `/v1/message/${this.#ids[nth % this.#ids.length]}`),
    )
  }

  /** Alternates between the newest messages, those of a recipient, and those with one status. */
  #listAll(): Promise<number[]> {
    const kinds = ['', '&phone=%2B16282000100', '&status=DELIVERED']
    return this.#eachOf(READS, (nth) => {
      const customer = customerOf(this.#customers, nth)
      const query = `campaign=${customer.campaignId}&limit=20${kinds[nth % kinds.length]}`
      return call(this.#port, customer, `/v1/message/list?${query}`)
    })
  }

  async #eachOf(count: number, work: (nth: number) => Promise<unknown>): Promise<number[]> {
    const latencies: number[] = []
    let next = 0
    const worker = async () => {
      while (next < count) {
        const nth = next++
        const startedAt = performance.now()
        await work(nth)
        latencies.push(performance.now() - startedAt)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    return latencies
  }

  /** Uses an index, so the check costs the same in a large database. */
  async #untilNone(what: 'messages' | 'webhooks'): Promise<number[]> {
    for (let attempts = 0; attempts < 2400; attempts += 1) {
      const [row] = await (what === 'messages'
        ? this.db.query<{ count: number }>(sql`
            select count(*)::int as count from messages
            where account_id = any (${this.#customers.map((one) => one.accountId)})
              and id >= ${this.#since} and status <> 'DELIVERED'`)
        : this.db.query<{ count: number }>(sql`
            select count(*)::int as count from event_deliveries where due_at is not null`))
      if (row!.count === 0) return []
      await sleep(50)
    }
    throw new Error(`the ${what} did not arrive`)
  }

  get #port(): number {
    return this.#processes.api.port
  }

  #signal(role: (typeof ROLES)[number], signal: NodeJS.Signals): void {
    process.kill(this.#processes[role].pid, signal)
  }
}
