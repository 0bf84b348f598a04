// Reloads the carriers file in every dispatching process. The request is stored, each process finds it within seconds,
// and the client gets the result.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import {
  findReloadRequest,
  listLinkReports,
  type ReloadRequest,
  saveReloadRequest,
} from '../../carriers/link-queries.js'
import { elapsedMs } from '../../kit/clock.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'

const PROBE_MS = 250

/** The reload starts once this is committed. */
export async function requestReload(
  tx: Transaction,
  actor: Actor,
  clock: World['clock'],
): Promise<ReloadRequest> {
  const request = { id: randomUUID(), requestedAt: clock.machineNow() }
  await saveReloadRequest(tx, request, actor.name)
  const act = { act: 'carrier.reload', accountId: null, subject: null } as const
  await recordAct(tx, actor, { ...act, before: null, after: null }, clock.now())
  return request
}

export interface ReloadOutcome {
  process: string
  /** Waiting: no answer in time. */
  outcome: 'reloaded' | 'failed' | 'waiting'
  error: string | null
}

/** The result of each process, once all have answered or the time is up. */
export async function awaitReload(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  id: string,
  msMax: number,
): Promise<ReloadOutcome[]> {
  for (const startedMs = elapsedMs(); ; await sleep(PROBE_MS)) {
    // The answer to a later request counts, too: that reload happened after this request.
    const last = (await findReloadRequest(db))?.id
    const reports = await listLinkReports(db, clock.machineNow())
    const outcomes = reports.map(({ process, reloadId, reloadError }): ReloadOutcome => {
      if (reloadId !== id && reloadId !== last) return { process, outcome: 'waiting', error: null }
      return { process, outcome: reloadError ? 'failed' : 'reloaded', error: reloadError }
    })
    const isOver = outcomes.every(({ outcome }) => outcome !== 'waiting')
    if (isOver || elapsedMs(startedMs) > msMax) return outcomes
  }
}
