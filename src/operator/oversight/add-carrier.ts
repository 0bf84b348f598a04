// After the setup of a carrier link: its audit log entry, and the reload of the running processes.

import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { NOTHING_TO_RELOAD } from '../../carriers/link-reporter.js'
import type { SetupReport, SetupStep } from '../../carriers/setup/setup.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { ReloadOutcome } from './reload-carriers.js'

/** Only names and states, no secrets. */
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

/** The result of the reload in the dispatching processes. */
export function reloadStep(outcomes: readonly ReloadOutcome[]): Pick<SetupStep, 'state' | 'text'> {
  const later = 'the file is read when the service starts'
  if (outcomes.length === 0)
    return { state: 'skipped', text: `No dispatching process is running: ${later}.` }
  const failed = outcomes.filter(({ outcome }) => outcome !== 'reloaded')
  if (failed.length === 0) {
    const count = outcomes.length === 1 ? 'The dispatching process' : `${outcomes.length} processes`
    return { state: 'done', text: `${count} reloaded the file.` }
  }
  if (failed.every(({ error }) => error === NOTHING_TO_RELOAD.error)) {
    return { state: 'skipped', text: `The service runs without LONGCODE_CARRIERS: ${later}.` }
  }
  const errors = failed.map(({ process, error }) => `${process}: ${error ?? 'no answer'}`)
  return { state: 'failed', text: `The previous settings still apply. ${errors.join(' ')}` }
}
