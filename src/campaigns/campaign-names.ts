// What campaigns are called, for lists that know only their ids.

import type { AccountId } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

export async function nameCampaigns(
  db: Queryable,
  accountId: AccountId,
  campaignIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(sql`
    select id, display_name as name from campaigns
    where account_id = ${accountId} and id = any (${campaignIds}::text[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
