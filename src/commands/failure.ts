// How a command fails: one sentence on standard error and an exit code, 1 for a failure, 2 for a usage error.

import { type FieldProblem, Refusal } from '../kit/contract/refusal.js'
import { EmbeddedDatabaseFailure } from '../kit/embedded/failure.js'
import { BadSetting } from '../kit/settings/setting-reader.js'

export const EXIT_OK = 0
const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/** The message is the sentence that is shown. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly code: string = 'failed',
    readonly details: readonly FieldProblem[] = [],
    readonly exitCode: number = EXIT_FAILED,
  ) {
    super(message)
  }
}

export class UsageFailure extends CommandFailure {
  constructor(message: string) {
    super(message, 'usage', [], EXIT_USAGE)
  }
}

/** One sentence for a problem that a person can fix; the full stack trace for a bug. */
export function asFailure(error: unknown): CommandFailure {
  if (error instanceof CommandFailure) return error
  if (error instanceof Refusal) {
    return new CommandFailure(error.message, error.code, error.details)
  }
  if (error instanceof BadSetting || error instanceof EmbeddedDatabaseFailure) {
    return new CommandFailure(error.message, 'settings')
  }
  const whole = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return new CommandFailure(whole, 'fault')
}

export function showFailure(failure: CommandFailure, isJson: boolean): void {
  if (isJson) {
    const { message: error, code, details } = failure
    console.error(JSON.stringify({ error, code, ...(details.length > 0 && { details }) }))
    return
  }
  console.error(failure.message)
  if (failure.details.length <= 1) return // the sentence already contains it
  for (const { field, problem } of failure.details.slice(0, 50)) {
    console.error(`  ${field}: ${problem}`)
  }
}
