// The email addresses of people by role, for what the service reports to them.

import type { AccountId } from '../accounts/account.js'
import type { AccountRole } from '../accounts/role.js'
import type { Queryable } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'

const ADDRESSES_MAX = 50

export async function listAddresses(
  db: Queryable,
  accountId: AccountId,
  roles: readonly AccountRole[],
): Promise<string[]> {
  const rows = await db.query<{ email: string }>(sql`
    select u.email from memberships m join users u on u.id = m.user_id
    where m.account_id = ${accountId} and m.role = any (${roles}::text[])
    order by m.user_id limit ${ADDRESSES_MAX}`)
  return rows.map(({ email }) => email)
}

export async function listOperatorAddresses(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ email: string }>(sql`
    select email from users where installation_role = 'operator' order by id limit ${ADDRESSES_MAX}`)
  return rows.map(({ email }) => email)
}
