// Decides who may bind. A password of eight characters can be guessed, so guessing is made slow: every refusal
// takes a second, and an address or system ID that failed too often is refused without a check for a while. A
// customer that was bound from an address before can still bind there, because many customers may share the address
// of one proxy.

import { setTimeout as sleep } from 'node:timers/promises'
import { mayBindFrom } from '../accounts/smpp-limits.js'
import { isSmppPassword } from '../accounts/smpp-system.js'
import { type FoundSystem, findSystem } from '../accounts/smpp-system-queries.js'
import { hashToken } from '../accounts/token.js'
import { createRateLimiter } from '../http/rate-limit.js'
import { Cache } from '../kit/cache.js'
import type { Scope } from '../kit/contract/operation.js'
import type { World } from '../kit/world.js'
import type { StatusName } from '../smpp/pdu/status.js'
import type { BindName, BindPdu } from '../smpp/session/session-event.js'
import type { System } from './system.js'

/** Allowed failures: ten at once, then one every ten seconds. Per system ID: five, then one every half minute. */
const BY_ADDRESS = { perSecond: 0.1, burst: 10 }
const BY_SYSTEM = { perSecond: 1 / 30, burst: 5 }
const REFUSAL_MS = 1_000
const FAMILIAR_MAX = 10_000
/** What an unknown system ID is checked against, so the check takes as long as for an existing one. */
const NOBODY = { passwordSalt: Buffer.alloc(16), passwordHash: Buffer.alloc(32) }
const NO_TOKEN = Buffer.alloc(32)

const NEEDED: Record<BindName, readonly Scope[]> = {
  bind_transmitter: ['send'],
  bind_receiver: ['read'],
  bind_transceiver: ['send', 'read'],
}

export class BindGuard {
  readonly #world: World
  readonly #pause: (ms: number) => Promise<void>
  readonly #byAddress = createRateLimiter(BY_ADDRESS.perSecond, BY_ADDRESS.burst)
  readonly #bySystem = createRateLimiter(BY_SYSTEM.perSecond, BY_SYSTEM.burst)
  readonly #familiar = new Cache<string, true>({ max: FAMILIAR_MAX })
  /** By address: the last bind that is waiting for its turn. */
  readonly #turns = new Map<string, Promise<unknown>>()

  /** `pause` waits for that many milliseconds. */
  constructor(world: World, pause = (ms: number) => sleep(ms, undefined, { ref: false })) {
    this.#world = world
    this.#pause = pause
  }

  /** The system, or the status that refuses its bind, after a delay. */
  async admit({ command, body }: BindPdu, address: string): Promise<System | StatusName> {
    const judged = this.#inTurn(address, () => this.#judge(command, body, address))
    const admission = await judged.catch((error): StatusName => {
      this.#world.log.error({ err: error }, 'an SMPP bind could not be checked')
      return 'ESME_RSYSERR'
    })
    if (typeof admission === 'string') await this.#pause(REFUSAL_MS)
    return admission
  }

  /** One at a time, so a customer that opens many binds at once is not treated as guessing. */
  #inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(address) ?? Promise.resolve()
    const turn = before.then(work, work)
    this.#turns.set(address, turn)
    const done = () => {
      if (this.#turns.get(address) === turn) this.#turns.delete(address)
    }
    turn.then(done, done)
    return turn
  }

  async #judge(
    command: BindName,
    { systemId, password }: BindPdu['body'],
    address: string,
  ): Promise<System | StatusName> {
    // Keyed with the password, so nobody can guess under cover of a client that knows it.
    const visit = hashToken(`${address} ${systemId} ${password}`).toString('base64')
    const isFamiliar = this.#familiar.delete(visit)
    if (!isFamiliar && !this.#mayTry(address, systemId)) return 'ESME_RBINDFAIL'
    const found = await this.#find(systemId, password)
    if (!found) return 'ESME_RINVPASWD'
    if (!isFamiliar) {
      this.#byAddress.refund(address)
      this.#bySystem.refund(systemId)
    }
    this.#familiar.set(visit, true)
    const mayBind = NEEDED[command].every((scope) => found.scopes.includes(scope))
    if (found.accountStatus !== 'ACTIVE' || !mayBind) return 'ESME_RBINDFAIL'
    if (!mayBindFrom(found.allowedAddresses, address)) {
      this.#world.log.warn(
        { token: found.tokenId, address },
        'an SMPP bind was refused: its address is not on the allowlist of the system id',
      )
      return 'ESME_RBINDFAIL'
    }
    return systemOf(found)
  }

  /**
   * Counted before the check and returned after a success, so parallel guesses get no more attempts than
   * sequential ones.
   */
  #mayTry(address: string, systemId: string): boolean {
    if (this.#byAddress.take(address)?.isAllowed === false) return false
    return this.#bySystem.take(systemId)?.isAllowed !== false
  }

  async #find(systemId: string, password: string): Promise<FoundSystem | null> {
    const { db, clock } = this.#world
    const isPlain = /^[!-~]{1,64}$/.test(systemId)
    const found = isPlain ? await findSystem(db, systemId, clock.now()) : null
    const isRight = await isSmppPassword(found ?? NOBODY, found?.tokenHash ?? NO_TOKEN, password)
    return isRight ? found : null
  }
}

/** Without its secrets, because it stays in memory as long as the bind. */
function systemOf({
  systemId,
  campaignId,
  number,
  accountId,
  tokenId,
  scopes,
  limits,
}: FoundSystem): System {
  return { systemId, campaignId, number, accountId, tokenId, scopes, limits }
}
