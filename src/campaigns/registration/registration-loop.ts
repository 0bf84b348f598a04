// Registers submitted records at providers: after the commit of the submission, outside of any transaction,
// and repeatedly until the provider has decided. Then it checks for changes now and then. If a process dies,
// its lease ends and another continues.

import type { Registration, RegistrationKey } from '../../brands/registration.js'
import {
  claimRegistration,
  delayRegistration,
  listDueRegistrations,
  renewRegistration,
} from '../../brands/registration-queries.js'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import { KeyedBackoff } from '../../kit/keyed-backoff.js'
import { aliveAt, stayAlive } from '../../kit/stay-alive.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import type { WakeLanes } from '../follow-limits.js'
import type { Registrars } from './registrar.js'
import { endThere, LeaseLost, MissingRecord } from './settle-registration.js'
import { workBrand } from './work-brand.js'
import { workCampaign } from './work-campaign.js'

const PORTION = 20
const IDLE_MS = 1_000
/**
 * Longer than all requests of one work item together. A dead worker is replaced much sooner: see
 * stay-alive.ts.
 */
const LEASE_MS = 120_000
const DELAY_MS = 1_000
const DELAY_MS_MAX = 5 * 60_000
const ERROR_CHARS_MAX = 200

export function registrationLoop(world: World, registrars: Registrars, wakeLanes: WakeLanes): Loop {
  const onError = (error: unknown) => world.log.error({ err: error }, 'registration failed')
  const aside = new KeyedBackoff(onError)
  return {
    name: 'registrations',
    hints: ['reviews', 'clock'],
    idleMs: () => world.hints.pollMs(IDLE_MS, 'schedule'),
    onError,
    step: async () => {
      const { clock } = world
      const times = { now: clock.now(), aliveBy: clock.machineNow() }
      const due = await listDueRegistrations(world.db, times, PORTION)
      const worked = await Promise.all(
        due.map((key) =>
          aside.attempt(key.recordId, () => work(world, registrars, wakeLanes, key)),
        ),
      )
      return worked.filter((isWorked) => isWorked === true).length
    },
  }
}

/** False if there was nothing to do. */
async function work(
  world: World,
  registrars: Registrars,
  wakeLanes: WakeLanes,
  key: RegistrationKey,
): Promise<boolean> {
  const { db, clock } = world
  const now = clock.now()
  const leaseUntil = new Date(now.getTime() + LEASE_MS)
  const row = await claimRegistration(db, key, { now, leaseUntil, alive: aliveAt(clock) })
  if (!row) return false
  const registrar = registrars.find(row.link)
  if (!registrar) {
    await delay(world, row, `The link ${row.link} is not set up for registration.`)
    return true
  }
  try {
    const workOn = row.kind === 'brand' ? workBrand : workCampaign
    const renew = (until: Date) => renewRegistration(db, row, until)
    await stayAlive(clock, renew, () => workOn(world, registrar, wakeLanes, row))
  } catch (error) {
    if (error instanceof LeaseLost) return true // another process continues it
    if (error instanceof MissingRecord) await endThere(world, row)
    else if (error instanceof RemoteFault) await delay(world, row, error.message)
    else throw error
  }
  return true
}

/**
 * The host or the provider must fix it. The operator is told at each attempt, and no customer's record fails
 * because of it.
 */
async function delay(
  { db, clock, hints, log }: World,
  leased: Registration,
  detail: string,
): Promise<void> {
  const { attempts: before, failingSince, link, recordId } = leased
  const now = clock.now()
  const attempts = before + 1
  const delayMs = Math.min(DELAY_MS * 2 ** Math.min(attempts - 1, 20), DELAY_MS_MAX)
  const lastError = detail.replaceAll(/\d{7,}/g, '…').slice(0, ERROR_CHARS_MAX)
  log.warn({ record: recordId, link, detail: lastError }, 'a registration waits for its provider')
  const dueAt = new Date(now.getTime() + delayMs)
  const failed = { attempts, lastError, failingSince: failingSince ?? now, dueAt }
  await delayRegistration(db, leased, failed)
  hints.remind('reviews', delayMs)
}
