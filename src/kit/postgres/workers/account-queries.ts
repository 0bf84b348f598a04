// Restricts reads across all accounts. On a cluster, such a read then reaches fewer shards.

import { NOTHING, piece } from '../sql.js'

/** Only these accounts. Null: all. */
export function ofAccounts(accountIds: readonly string[] | null) {
  return accountIds === null ? NOTHING : piece`and account_id = any (${accountIds}::text[])`
}
