// The initial sandbox: an account with money, a token, and numbers for sale. The token is also stored in the data
// folder, so every later start can show it again.

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { countAccounts, findFirstAccountId } from '../accounts/account-queries.js'
import { createToken } from '../accounts/create-account.js'
import { hashToken, makeTokenText } from '../accounts/token.js'
import { findLiveToken } from '../accounts/token-queries.js'
import type { Database } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { openAccount } from '../ledger/open-account.js'
import { seedInventory } from './seed-inventory.js'

/** The access token to show, or null if it is no longer known (it was shown at first start). */
export async function prepareSandbox({ db, clock, config }: World): Promise<string | null> {
  await seedInventory(db)
  const file = path.join(config.dataDir, 'access-token')
  const isFirst = (await countAccounts(db)) === 0
  const kept = isFirst ? null : await readToken(file)
  const text = config.firstToken ?? kept ?? (isFirst ? makeTokenText() : null)
  if (text === null) return null
  const now = clock.now()
  if (isFirst) {
    await db.transaction(async (tx) => {
      const creditMicros = config.sandboxBalanceMicros
      const { accountId } = await openAccount(tx, { name: 'Sandbox', creditMicros }, now)
      await createToken(tx, accountId, { name: 'First token', text }, now)
    })
  } else if (!(await isKnown(db, text, now))) {
    if (text !== config.firstToken) return null
    const accountId = await findFirstAccountId(db)
    await db.transaction((tx) => createToken(tx, accountId, { name: 'LONGCODE_TOKEN', text }, now))
  }
  await writeToken(file, text)
  return text
}

async function isKnown(db: Database, text: string, now: Date): Promise<boolean> {
  return (await findLiveToken(db, hashToken(text), now)) !== null
}

async function readToken(file: string): Promise<string | null> {
  return readFile(file, 'utf8').then(
    (text) => text.trim() || null,
    () => null,
  )
}

// Only the owner may read it. The sandbox's money is not real.
async function writeToken(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, `${text}\n`, { mode: 0o600 })
  await chmod(file, 0o600)
}
