// Which accounts have the numbers that receipts name. Receipts that come together share a query.

import { KeyedBatchWriter } from '../../kit/batch-writer.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { findHolders } from '../../numbers/number-queries.js'
import { retryWhileDatabaseDown } from './move-recorder.js'

const RECEIPTS_PER_QUERY_MAX = 100

type Holders = Awaited<ReturnType<typeof findHolders>>

/** By number, for at least the numbers given. Numbers that no account has are missing. */
export type FindHolders = (numbers: readonly string[]) => Promise<Holders>

export function batchHolders(db: Queryable): FindHolders {
  const writer = new KeyedBatchWriter<readonly string[], Holders>({
    batchMax: RECEIPTS_PER_QUERY_MAX,
    write: async (_, numbers) => {
      const holders = await retryWhileDatabaseDown(() => findHolders(db, numbers.flat()))
      return numbers.map(() => holders)
    },
  })
  return (numbers) => writer.add('numbers', numbers)
}
