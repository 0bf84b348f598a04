// A carrier link set up by the operator: what is kept of it in the audit log, and the running processes told.

import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { NOTHING_TO_RELOAD } from '../../carriers/link-reporter.js'
import type { SetupReport, SetupStep } from '../../carriers/setup/setup.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { ReloadOutcome } from './reload-carriers.js'

/** Names and states only: nothing of it is secret. */
export async function recordAdd(
  tx: Transaction,
  actor: Actor,
  { link, kind, callbackUrl, steps }: SetupReport,
  now: Date,
): Promise<void> {
  const states = Object.fromEntries(steps.map(({ step, state }) => [step, state]))
  const after = { kind, callbackUrl, steps: states }
  const act = { act: 'carrier.add', accountId: null, subject: link } as const
  await recordAct(tx, actor, { ...act, before: null, after }, now)
}

/** What became of the file in the processes that dispatch. */
export function reloadStep(outcomes: readonly ReloadOutcome[]): Pick<SetupStep, 'state' | 'text'> {
  const later = 'the file is read when the service starts'
  if (outcomes.length === 0) return { state: 'skipped', text: `Nobody dispatches now: ${later}.` }
  const failed = outcomes.filter(({ outcome }) => outcome !== 'reloaded')
  if (failed.length === 0) {
    const count =
      outcomes.length === 1 ? 'The process that dispatches' : `${outcomes.length} processes`
    return { state: 'done', text: `${count} read the file again.` }
  }
  if (failed.every(({ error }) => error === NOTHING_TO_RELOAD.error)) {
    return { state: 'skipped', text: `The service runs without LONGCODE_CARRIERS: ${later}.` }
  }
  const words = failed.map(({ process, error }) => `${process}: ${error ?? 'has not answered'}`)
  return { state: 'failed', text: `The former settings stay in force. ${words.join(' ')}` }
}
