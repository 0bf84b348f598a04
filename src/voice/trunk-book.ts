// The current trunks of this process, with reload. If the file is invalid, the previous trunks stay active.

import type { Config } from '../kit/config.js'
import { nearestName } from '../kit/contract/nearest-name.js'
import { fieldRefusal } from '../kit/contract/refusal.js'
import type { Log } from '../kit/log.js'
import { BadSettingsFile } from '../kit/settings-file/settings-file.js'
import type { TrunkSettings } from '../sip/answer/trunk.js'
import { readTrunksOf } from './read-trunks.js'

type TrunkUser = (trunks: readonly TrunkSettings[]) => void

export class TrunkBook {
  readonly #config: Readonly<Config>
  readonly #users: TrunkUser[] = []
  #trunks: readonly TrunkSettings[]

  /** Throws BadSettingsFile. */
  constructor(config: Readonly<Config>) {
    this.#config = config
    this.#trunks = readTrunksOf(config)
  }

  get trunks(): readonly TrunkSettings[] {
    return this.#trunks
  }

  /** Called with the trunks after every reload. */
  subscribe(user: TrunkUser): void {
    this.#users.push(user)
  }

  /** Refuses an unknown name. Without a name: the first trunk, or null if there is none. */
  get(name: string | undefined): TrunkSettings | null {
    if (name === undefined) return this.#trunks[0] ?? null
    const trunk = this.#trunks.find((one) => one.name === name)
    if (trunk) return trunk
    const byName = new Map(this.#trunks.map((one) => [one.name, { also: [] }]))
    const near = nearestName(name, byName)
    const names = [...byName.keys()].slice(0, NAMES_LISTED_MAX).join(', ')
    const remedy = near !== null ? `did you mean ${near}?` : `known trunks: ${names || 'none'}`
    throw fieldRefusal('trunk', `is not a trunk of this service: ${remedy}`)
  }

  /** Logs the result and never throws. */
  reload(log: Log): void {
    if (this.#config.trunksFile === null) return
    try {
      this.#trunks = readTrunksOf(this.#config)
    } catch (error) {
      const problem = error instanceof BadSettingsFile ? error.message : String(error)
      log.error({ problem }, 'trunks not reloaded: the previous ones stay active')
      return
    }
    for (const user of this.#users) user(this.#trunks)
    log.info({ trunks: this.#trunks.length }, 'trunks reloaded')
  }
}

const NAMES_LISTED_MAX = 12
