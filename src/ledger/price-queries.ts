// Every statement on the prices table.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { sql } from '../kit/postgres/sql.js'
import type { Price } from './price-book.js'

/** The account's prices and the general ones, latest first: past, present, and future. */
export async function listPrices(db: Queryable, accountId: AccountId): Promise<Price[]> {
  return db.query<Price>(sql`
    select nullif(account_id, '*') as "accountId", kind, amount_micros as "amountMicros",
      effective_at as "effectiveAt"
    from prices where account_id in (${accountId}, '*')
    order by effective_at desc`)
}

export async function upsertPrice(tx: Transaction, price: Price): Promise<void> {
  await tx.query(sql`
    insert into prices (account_id, kind, effective_at, amount_micros)
    values (${price.accountId ?? '*'}, ${price.kind}, ${price.effectiveAt},
      ${price.amountMicros}::bigint)
    on conflict (account_id, kind, effective_at) do update
    set amount_micros = excluded.amount_micros`)
}
