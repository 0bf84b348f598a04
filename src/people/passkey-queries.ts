// Every statement on the passkeys table.

import type { Queryable, Transaction } from '../kit/postgres/db.js'
import { raw, sql } from '../kit/postgres/sql.js'
import type { UserId } from './user.js'

export interface Passkey {
  userId: UserId
  credentialId: string
  publicKey: Buffer
  counter: number
  transports: string[]
  name: string
  createdAt: Date
  lastUsedAt: Date | null
}

const COLUMNS = raw(`user_id as "userId", credential_id as "credentialId",
  public_key as "publicKey", counter::float8 as counter, transports, name, created_at as "createdAt",
  last_used_at as "lastUsedAt"`)

export async function insertPasskey(tx: Transaction, passkey: Passkey): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into passkeys (user_id, credential_id, public_key, counter, transports, name, created_at)
    values (${passkey.userId}, ${passkey.credentialId}, ${passkey.publicKey}, ${passkey.counter},
      ${passkey.transports}, ${passkey.name}, ${passkey.createdAt})
    on conflict (credential_id) do nothing returning credential_id`)
  return rows.length > 0
}

/** A person has few. */
export async function listPasskeys(db: Queryable, userId: UserId): Promise<Passkey[]> {
  return db.query<Passkey>(sql`
    select ${COLUMNS} from passkeys where user_id = ${userId} order by created_at limit 100`)
}

export async function findPasskey(db: Queryable, credentialId: string): Promise<Passkey | null> {
  const [row] = await db.query<Passkey>(sql`
    select ${COLUMNS} from passkeys where credential_id = ${credentialId}`)
  return row ?? null
}

/** False if its counter is not above the stored one: a copied device, or the same response twice. Devices without one have 0. */
export async function recordPasskeyUse(
  tx: Transaction,
  credentialId: string,
  { counter, now }: { counter: number; now: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update passkeys set counter = ${counter}, last_used_at = ${now}
    where credential_id = ${credentialId}
      and (counter < ${counter} or greatest(counter, ${counter}) = 0)
    returning credential_id`)
  return rows.length > 0
}

export async function deletePasskey(
  tx: Transaction,
  userId: UserId,
  credentialId: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from passkeys where user_id = ${userId} and credential_id = ${credentialId}
    returning credential_id`)
  return rows.length > 0
}

export async function deletePasskeys(tx: Transaction, userId: UserId): Promise<void> {
  await tx.query(sql`delete from passkeys where user_id = ${userId}`)
}
