// Every statement on contacts.

import type { AccountId } from '../accounts/account.js'
import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { NOTHING, piece, raw, sql } from '../kit/postgres/sql.js'
import type { Contact } from './contact.js'

const COLUMNS = raw(`phone_number as "phoneNumber", name, fields, updated_at as "updatedAt"`)

/** Sorts after every other character: the end of a range of texts with the same start. */
const LAST_CHARACTER = '\u{10ffff}'

export async function findContacts(
  db: Queryable,
  accountId: AccountId,
  phoneNumbers: readonly string[],
): Promise<Contact[]> {
  return db.query<Contact>(sql`
    select ${COLUMNS} from contacts
    where account_id = ${accountId} and phone_number = any (${phoneNumbers}::text[])`)
}

/** By number, so the next page can continue after the last one. */
export async function listContacts(
  db: Queryable,
  accountId: AccountId,
  { limit, after }: { limit: number; after: string | null },
): Promise<Contact[]> {
  return db.query<Contact>(sql`
    select ${COLUMNS} from contacts
    where account_id = ${accountId} ${after === null ? NOTHING : piece`and phone_number > ${after}`}
    order by phone_number limit ${limit + 1}`)
}

/** Those whose name starts with the text, in any case, by name. */
export async function searchContacts(
  db: Queryable,
  accountId: AccountId,
  name: string,
  limit: number,
): Promise<Contact[]> {
  return db.query<Contact>(sql`
    select ${COLUMNS} from contacts
    where account_id = ${accountId} and lower(name) collate "C" >= lower(${name}::text)
      and lower(name) collate "C" < lower(${name}::text) || ${LAST_CHARACTER}::text
    order by lower(name) collate "C", phone_number limit ${limit}`)
}

export async function upsertContact(
  tx: Transaction,
  accountId: AccountId,
  { phoneNumber, name, fields, updatedAt }: Contact,
): Promise<void> {
  await tx.query(sql`
    insert into contacts (account_id, phone_number, name, fields, updated_at)
    values (${accountId}, ${phoneNumber}, ${name}, ${JSON.stringify(fields)}, ${updatedAt})
    on conflict (account_id, phone_number) do update
      set name = excluded.name, fields = excluded.fields, updated_at = excluded.updated_at`)
}

/** Whether there was one. */
export async function deleteContact(
  tx: Transaction,
  accountId: AccountId,
  phoneNumber: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from contacts where account_id = ${accountId} and phone_number = ${phoneNumber}
    returning 1`)
  return rows.length > 0
}
