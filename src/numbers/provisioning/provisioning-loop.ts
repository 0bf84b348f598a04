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
  claimTask,
  listDueTasks,
  type ProvisioningTask,
  recordTask,
  renewTask,
  type TaskKey,
} from '../provider-number-queries.js'
import { runTask } from './run-task.js'
import { failNumber } from './settle-number.js'

const PORTION = 20
const IDLE_MS = 1_000
/** Longer than the requests of one task take together. A dead worker is replaced much sooner (stay-alive.ts). */
const LEASE_MS = 90_000
const DELAY_MS = 1_000
const DELAY_MS_MAX = 5 * 60_000
const ERROR_CHARS_MAX = 200

export function provisioningLoop(world: World, sources: NumberSources): Loop {
  const onError = (error: unknown) => world.log.error({ err: error }, 'provisioning numbers failed')
  const aside = new KeyedBackoff(onError)
  return {
    name: 'number provisioning',
    hints: ['numbers', 'forwardings', 'clock'],
    idleMs: () => world.hints.pollMs(IDLE_MS, 'schedule'),
    onError,
    step: async () => {
      const { clock } = world
      const times = { now: clock.now(), aliveBy: clock.machineNow() }
      const due = await listDueTasks(world.db, times, PORTION)
      const worked = await Promise.all(
        due.map((key) => aside.attempt(key.accountId, () => work(world, sources, key))),
      )
      return worked.filter((isWorked) => isWorked === true).length
    },
  }
}

/** False if there was nothing to do. */
async function work(world: World, sources: NumberSources, key: TaskKey): Promise<boolean> {
  const { db, clock } = world
  const now = clock.now()
  const leaseUntil = new Date(now.getTime() + LEASE_MS)
  const task = await claimTask(db, key, { now, leaseUntil, alive: aliveAt(clock) })
  if (!task) return false
  const source = sources.find(task.link)
  if (!source) {
    await delay(world, task, `No carrier link ${task.link} with numbers is set up.`)
    return true
  }
  try {
    const renew = (until: Date) => renewTask(db, task, until)
    await stayAlive(clock, renew, () => runTask(world, source, task))
  } catch (error) {
    if (error instanceof Refusal) return true // just released: its row shows that
    if (!(error instanceof RemoteFault)) throw error
    await takeFault(world, task, error)
  }
  return true
}

/** A permanent refusal fails a number that was never usable. Everything else, including a move, is retried. */
async function takeFault(world: World, task: ProvisioningTask, fault: RemoteFault): Promise<void> {
  if (fault.kind === 'refused' && (task.phase === 'order' || task.phase === 'bind')) {
    const pending = await findPendingNumbers(world.db, [task.phoneNumber])
    if (pending.has(task.phoneNumber)) return failNumber(world, task, fault.message)
  }
  await delay(world, task, fault.message)
}

/** Logged for the operator at each attempt, without the number, because logs contain none. */
async function delay(
  { db, clock, hints, log }: World,
  task: ProvisioningTask,
  detail: string,
): Promise<void> {
  const attempts = task.attempts + 1
  const delayMs = Math.min(DELAY_MS * 2 ** Math.min(attempts - 1, 20), DELAY_MS_MAX)
  const lastError = detail.replaceAll(/\d{7,}/g, '…').slice(0, ERROR_CHARS_MAX)
  const { id, link, phase } = task
  log.warn({ task: id, link, phase, detail: lastError }, 'a number waits for its provider')
  const dueAt = new Date(clock.now().getTime() + delayMs)
  await recordTask(db, task, { ...task, attempts, lastError, dueAt })
  hints.remind('numbers', delayMs)
}
