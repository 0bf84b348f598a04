// One node of the service in a separate process, run from dist as users run it, behind its own networks to the database
// and to its clients. It is restarted when it ends, as by a supervisor, and can be killed, stopped, and frozen.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../stage.js'
import type { ChaosDatabase } from './database.js'
import { Network } from './network.js'
import { watchProcess } from './processes/watchdog.js'

const START_AGAIN_MS = 500
/** On a busy machine a start takes a minute, and faults make a node start several times. */
const UP_MS_MAX = 600_000

export interface NodeSettings {
  name: string
  roles: string
  folder: string
  /** dist/main.js, or that of a copy. */
  program: string
  database: Pick<ChaosDatabase, 'server' | 'urlBy'>
  env: Record<string, string>
}

export class ServiceNode {
  #child: ChildProcess | null = null
  #isWanted = true
  #isFrozen = false
  /** From then on it is not started again, whatever fault is still under way. */
  #isClosed = false
  /** Whether it became ready since its last start. A starting node is not broken again, however slow the machine. */
  #isUp = false
  /** Unexpected exits: a start while the database is down, or a crash. */
  exits = 0

  private constructor(
    readonly settings: NodeSettings,
    readonly toDatabase: Network,
    readonly toApi: Network,
    readonly port: number,
  ) {}

  static async start(settings: NodeSettings): Promise<ServiceNode> {
    const port = await freePort()
    const networks = [
      await Network.open(settings.database.server.target),
      await Network.open(port),
    ] as const
    const node = new ServiceNode(settings, ...networks, port)
    node.#launch()
    await node.untilUp()
    return node
  }

  get name(): string {
    return this.settings.name
  }

  get isApi(): boolean {
    return /api|all/.test(this.settings.roles)
  }

  /** Up, and not frozen. */
  get isWell(): boolean {
    return this.#isUp && this.#child !== null && !this.#isFrozen
  }

  /** The address for clients. */
  get address(): string {
    return `http://127.0.0.1:${this.toApi.port}`
  }

  /** Kills it, and restarts it after the given time. */
  async kill(downMs: number): Promise<void> {
    await this.#end('SIGKILL', downMs)
  }

  /** The same with SIGTERM. */
  async restart(downMs: number): Promise<void> {
    await this.#end('SIGTERM', downMs)
  }

  async freeze(ms: number): Promise<void> {
    const child = this.#child
    child?.kill('SIGSTOP')
    this.#isFrozen = true
    await sleep(ms)
    child?.kill('SIGCONT')
    this.#isFrozen = false
  }

  async untilUp(): Promise<void> {
    for (const untilMs = Date.now() + UP_MS_MAX; Date.now() < untilMs; await sleep(200)) {
      if (this.#isClosed) return
      const isUp = await fetch(`http://127.0.0.1:${this.port}/readyz`, {
        signal: AbortSignal.timeout(5_000),
      }).then(
        (reply) => reply.ok,
        () => false,
      )
      if (isUp) {
        this.#isUp = true
        return
      }
    }
    throw new Error(`${this.name} did not start: see ${this.settings.folder}`)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#isWanted = false
    const child = this.#child
    child?.kill('SIGCONT')
    child?.kill('SIGKILL')
    if (child && child.exitCode === null && !child.signalCode) await once(child, 'exit')
    await Promise.all([this.toDatabase.close(), this.toApi.close()])
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM', downMs: number): Promise<void> {
    const child = this.#child
    if (!child) return
    this.#isWanted = false
    child.kill(signal)
    if (child.exitCode === null && !child.signalCode) await once(child, 'exit')
    await sleep(downMs)
    this.#isWanted = true
    this.#launch()
    await this.untilUp()
  }

  #launch(): void {
    if (this.#isClosed) return
    const { folder, name, roles, program, env, database } = this.settings
    const log = openSync(path.join(folder, `${name}.log`), 'a')
    const child = spawn(process.execPath, [program, 'serve'], {
      env: {
        PATH: process.env.PATH,
        PORT: String(this.port),
        DATABASE_URL: database.urlBy(this.toDatabase.port),
        LONGCODE_DATA: path.join(folder, name),
        LONGCODE_ROLES: roles,
        LONGCODE_DATABASE_POOL: '6',
        LONGCODE_LOG_LEVEL: 'warn',
        LONGCODE_SIP_PORT: 'off',
        ...env,
      },
      stdio: ['ignore', log, log],
    })
    watchProcess(child)
    closeSync(log)
    this.#child = child
    this.#isUp = false
    child.on('exit', () => {
      if (this.#child === child) this.#child = null
      if (!this.#isWanted) return
      this.exits += 1
      this.untilUp().catch(() => {}) // restarted below; the end of the run also waits for it
      setTimeout(() => this.#isWanted && this.#child === null && this.#launch(), START_AGAIN_MS)
    })
  }
}
