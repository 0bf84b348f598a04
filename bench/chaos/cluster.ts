// The whole installation: PostgreSQL, four nodes with different roles, carriers, a webhook receiver for every customer,
// and the networks between them. Everything runs on loopback and in one folder, and is removed at the end.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { seededRandom } from '../../src/smsc/random.js'
import { type ChaosCarrier, carriersFile } from './carrier.js'
import { addCustomer, addWebhook, type Customer, KINDS_OF_CUSTOMERS } from './customers.js'
import { ChaosDatabase } from './database.js'
import { HttpCarrier, PUBLIC_URL } from './http-carrier.js'
import { releaseFolder, watchFolder } from './processes/watchdog.js'
import { ChaosReceiver } from './receivers.js'
import { ServiceNode } from './service-node.js'
import { SmppCarrier } from './smpp-carrier.js'

const NODES: Readonly<Record<string, string>> = {
  everything: 'all',
  'api-dispatch': 'api,dispatch',
  background: 'dispatch,deliver,schedule',
  api: 'api',
}

export class Cluster {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-chaos-'))
  readonly #open: { close: () => Promise<void> }[] = []
  readonly nodes: ServiceNode[] = []
  readonly carriers: ChaosCarrier[] = []
  readonly receivers: ChaosReceiver[] = []
  readonly customers: Customer[] = []
  database!: ChaosDatabase
  /** How far the clock of the service was moved. */
  clockAheadMs = 0

  /** `program`: the compiled service that the nodes run. */
  async start(
    seed: number,
    database: string | null,
    { program: compiled, nodes }: { program: string | Promise<string>; nodes: number },
  ): Promise<void> {
    watchFolder(this.folder)
    this.database = this.#keep(await ChaosDatabase.start(this.folder, database))
    for (const name of ['once', 'repeats'] as const) {
      this.carriers.push(this.#keep(await SmppCarrier.start(name, seed)))
    }
    this.carriers.push(this.#keep(await HttpCarrier.start(seed, () => this.#apiAddresses)))
    const carriers = path.join(this.folder, 'carriers.json')
    writeFileSync(carriers, carriersFile(this.carriers))
    const { database: own } = this
    const program = await compiled
    await Promise.all(
      Object.entries(NODES)
        .slice(0, nodes)
        .map(async ([name, roles]) => {
          const { folder } = this
          const env = { LONGCODE_CARRIERS: carriers, LONGCODE_PUBLIC_URL: PUBLIC_URL }
          this.nodes.push(
            this.#keep(
              await ServiceNode.start({ name, roles, folder, program, database: own, env }),
            ),
          )
        }),
    )
    for (const [i, kind] of KINDS_OF_CUSTOMERS.entries()) {
      const receiver = this.#keep(await ChaosReceiver.start(seededRandom(seed + i)))
      this.receivers.push(receiver)
      const customer = await addCustomer(own.db, kind, i, receiver)
      await addWebhook(this.#api.address, customer)
      this.customers.push(customer)
    }
  }

  get #api(): ServiceNode {
    return this.nodes.find(({ isApi }) => isApi)!
  }

  /** Bypasses the faulty networks, for observers. */
  get apiAddress(): string {
    return `http://127.0.0.1:${this.#api.port}`
  }

  get #apiAddresses(): string[] {
    return this.nodes.filter(({ isApi }) => isApi).map(({ address }) => address)
  }

  async untilUp(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.untilUp()))
  }

  /** Moves the clock of all nodes, so the run need not wait for hours. */
  async advanceClock(seconds: number): Promise<void> {
    const [{ token }] = this.customers as [Customer]
    this.clockAheadMs += seconds * 1000 // if there is no response, it may have moved
    await fetch(`${this.#api.address}/sandbox/clock/advance`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ seconds }),
    })
  }

  async close(keepsFolder: boolean): Promise<void> {
    for (const one of this.#open.reverse()) await one.close().catch(() => {})
    releaseFolder(this.folder)
    if (!keepsFolder) rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  #keep<T extends { close: () => Promise<void> }>(one: T): T {
    this.#open.push(one)
    return one
  }
}
