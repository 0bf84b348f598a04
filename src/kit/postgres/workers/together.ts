// Writes of several accounts at once. One statement serves them all; where one of them lies on a worker that is away,
// that statement fails for all, and each account's are written by themselves.

import { isWorkerAway } from '../db-failure.js'

interface OfAccount {
  accountId: string
}

/** The failures of accounts that could not be written; empty where all were. Rejects where none could be. */
export async function writeTogether<Row extends OfAccount>(
  rows: readonly Row[],
  write: (rows: readonly Row[]) => Promise<unknown>,
): Promise<Map<string, unknown>> {
  const failures = new Map<string, unknown>()
  try {
    await write(rows)
    return failures
  } catch (error) {
    const accountIds = new Set(rows.map(({ accountId }) => accountId))
    if (!isWorkerAway(error) || accountIds.size === 1) throw error
    for (const accountId of accountIds) {
      const own = rows.filter((row) => row.accountId === accountId)
      await write(own).catch((failure) => failures.set(accountId, failure))
    }
    return failures
  }
}
