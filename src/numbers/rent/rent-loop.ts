// Carries out at providers what was bought, moved, forwarded, or released here: after the commit, outside of any
// transaction, with retries until it is done. A dead process leaves a lease, which ends.

import { Refusal } from '../../kit/contract/refusal.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import { KeyedBackoff } from '../../kit/keyed-backoff.js'
import { aliveAt, stayAlive } from '../../kit/stay-alive.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { findPendingNumbers } from '../number-queries.js'
import type { NumberSources } from '../number-source.js'
import {
  claimRent,
  listDueRents,
  type Rent,
  type RentKey,
  recordRent,
  renewRent,
} from '../rented-queries.js'
import { failNumber } from './settle-number.js'
import { workRent } from './work-rent.js'

const PORTION = 20
const IDLE_MS = 1_000
/** Longer than the requests of one task take together. A dead worker is replaced much sooner (stay-alive.ts). */
const LEASE_MS = 90_000
const DELAY_MS = 1_000
const DELAY_MS_MAX = 5 * 60_000
const ERROR_CHARS_MAX = 200

export function rentLoop(world: World, sources: NumberSources): Loop {
  const onError = (error: unknown) => world.log.error({ err: error }, 'provisioning numbers failed')
  const aside = new KeyedBackoff(onError)
  return {
    name: 'rented numbers',
    hints: ['numbers', 'forwardings', 'clock'],
    idleMs: IDLE_MS,
    onError,
    step: async () => {
      const { clock } = world
      const times = { now: clock.now(), aliveBy: clock.machineNow() }
      const due = await listDueRents(world.db, times, PORTION)
      const worked = await Promise.all(
        due.map((key) => aside.attempt(key.accountId, () => work(world, sources, key))),
      )
      return worked.filter((isWorked) => isWorked === true).length
    },
  }
}

/** False if there was nothing to do. */
async function work(world: World, sources: NumberSources, key: RentKey): Promise<boolean> {
  const { db, clock } = world
  const now = clock.now()
  const leaseUntil = new Date(now.getTime() + LEASE_MS)
  const rent = await claimRent(db, key, { now, leaseUntil, alive: aliveAt(clock) })
  if (!rent) return false
  const source = sources.find(rent.link)
  if (!source) {
    await delay(world, rent, `No carrier link ${rent.link} with numbers is set up.`)
    return true
  }
  try {
    const renew = (until: Date) => renewRent(db, rent, until)
    await stayAlive(clock, renew, () => workRent(world, source, rent))
  } catch (error) {
    if (error instanceof Refusal) return true // just released: its row shows that
    if (!(error instanceof RemoteFault)) throw error
    await takeFault(world, rent, error)
  }
  return true
}

/** A permanent refusal fails a number that was never usable. Everything else, including a move, is retried. */
async function takeFault(world: World, rent: Rent, fault: RemoteFault): Promise<void> {
  if (fault.kind === 'refused' && (rent.phase === 'order' || rent.phase === 'bind')) {
    const pending = await findPendingNumbers(world.db, [rent.phoneNumber])
    if (pending.has(rent.phoneNumber)) return failNumber(world, rent, fault.message)
  }
  await delay(world, rent, fault.message)
}

/** Logged for the operator at each attempt, without the number, because logs contain none. */
async function delay({ db, clock, log }: World, rent: Rent, detail: string): Promise<void> {
  const attempts = rent.attempts + 1
  const delayMs = Math.min(DELAY_MS * 2 ** Math.min(attempts - 1, 20), DELAY_MS_MAX)
  const lastError = detail.replaceAll(/\d{7,}/g, '…').slice(0, ERROR_CHARS_MAX)
  const { id, link, phase } = rent
  log.warn({ rent: id, link, phase, detail: lastError }, 'a number waits for its provider')
  const dueAt = new Date(clock.now().getTime() + delayMs)
  await recordRent(db, rent, { ...rent, attempts, lastError, dueAt })
}
