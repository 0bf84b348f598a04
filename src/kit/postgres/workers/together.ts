// Writes for several accounts at once. One statement serves all. If one account is on a worker that is down,
// that statement fails for all, and each account is written separately.

import { isWorkerAway } from '../db-failure.js'
import type { Workers } from './workers.js'

interface OfAccount {
  accountId: string
}

type Write<Row> = (rows: readonly Row[]) => Promise<unknown>
type Places = Pick<Workers, 'isOutage' | 'isCluster' | 'assertNear'>

/** The failures of accounts that could not be written; empty if all were. Rejects if none could be. */
export async function writeTogether<Row extends OfAccount>(
  workers: Places,
  rows: readonly Row[],
  write: Write<Row>,
): Promise<Map<string, unknown>> {
  const accounts = accountsOf(rows)
  if (accounts.size > 1 && workers.isOutage) return writeAll(workers, accounts, write)
  try {
    await write(rows)
    return new Map()
  } catch (error) {
    if (accounts.size === 1 || !isWorkerAway(error)) throw error
    return writeAll(workers, accounts, write)
  }
}

/**
 * For deletions, which Citus sends to every worker if they join a list of several accounts: on a cluster,
 * each account gets its own statement, on its worker. Accounts that cannot be reached are left out.
 */
export async function deleteTogether<Row extends OfAccount>(
  workers: Places,
  rows: readonly Row[],
  remove: Write<Row>,
): Promise<void> {
  const accounts = accountsOf(rows)
  const isApart = accounts.size > 1 && (await workers.isCluster())
  if (!isApart) await remove(rows)
  else await deleteEach(workers, rows, remove)
}

/** The same if one statement cannot serve several accounts. */
export async function deleteEach<Row extends OfAccount>(
  workers: Places,
  rows: readonly Row[],
  remove: Write<Row>,
): Promise<void> {
  const failures = await writeAll(workers, accountsOf(rows), remove)
  for (const failure of failures.values()) if (!isWorkerAway(failure)) throw failure
}

async function writeAll<Row extends OfAccount>(
  workers: Places,
  accounts: ReadonlyMap<string, readonly Row[]>,
  write: Write<Row>,
): Promise<Map<string, unknown>> {
  const failures = new Map<string, unknown>()
  for (const [accountId, own] of accounts) {
    try {
      await workers.assertNear(accountId)
      await write(own)
    } catch (failure) {
      failures.set(accountId, failure)
    }
  }
  return failures
}

function accountsOf<Row extends OfAccount>(rows: readonly Row[]): Map<string, Row[]> {
  const accounts = new Map<string, Row[]>()
  for (const row of rows) {
    const own = accounts.get(row.accountId)
    if (own) own.push(row)
    else accounts.set(row.accountId, [row])
  }
  return accounts
}
