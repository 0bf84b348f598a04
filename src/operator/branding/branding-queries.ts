// Every statement on the account_brandings table.

import type { AccountId } from '../../accounts/account.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import { sql } from '../../kit/postgres/sql.js'
import { type Branding, readLogo } from '../../kit/settings/branding-rules.js'

interface Row extends Omit<Branding, 'logo'> {
  logo: Buffer | null
}

/** Null if the account has none. */
export async function findBranding(db: Queryable, accountId: AccountId): Promise<Branding | null> {
  const [row] = await db.query<Row>(sql`
    select name, color, support, logo from account_brandings where account_id = ${accountId}`)
  return row ? { ...row, logo: row.logo && readLogo(row.logo) } : null
}

export async function saveBranding(
  tx: Transaction,
  accountId: AccountId,
  { name, color, support, logo }: Branding,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into account_brandings (account_id, name, color, support, logo, updated_at)
    values (${accountId}, ${name}, ${color}, ${support}, ${logo?.content ?? null}, ${now})
    on conflict (account_id) do update set name = excluded.name, color = excluded.color,
      support = excluded.support, logo = excluded.logo, updated_at = excluded.updated_at`)
}
