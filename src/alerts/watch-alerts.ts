// Checks accounts for problems, round after round. One process at a time does, by a lease. Each step checks a bounded
// number of accounts: those with recent messages, with open alerts, or with a campaign, number, or webhook in trouble.

import { randomBytes } from 'node:crypto'
import { type AccountId, INSTALLATION } from '../accounts/account.js'
import { listAccountsWithTroubledCampaigns } from '../campaigns/trouble-queries.js'
import { KeyedBackoff } from '../kit/keyed-backoff.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { listAccountsWithTraffic } from '../messages/usage/outcome-queries.js'
import { listAccountsWithTroubledNumbers } from '../numbers/trouble-queries.js'
import {
  findAlertSettings,
  listAccountsWithAlerts,
  listOpenAlerts,
  takeLease,
} from './alert-queries.js'
import { byKey, checkAccount, type ListWebhooks } from './check-account.js'
import { findLinkTrouble, type WatchedLink } from './link-rules.js'
import { recordAlerts } from './record-alerts.js'

const IDLE_MS = 15_000
const LEASE_MS = 60_000
const PORTION = 100

/** What modules above this one know. */
export interface AlertSources {
  listWebhooks: ListWebhooks
  listAccountsWithWebhooks: (db: Queryable, after: AccountId, limit: number) => Promise<AccountId[]>
  listLinks: (world: World) => Promise<WatchedLink[]>
}

export function alertLoop(world: World, sources: AlertSources): Loop {
  const onError = (error: unknown) => world.log.error({ err: error }, 'could not check for alerts')
  const aside = new KeyedBackoff(onError)
  const holder = randomBytes(12).toString('hex')
  let after: AccountId = ''
  return {
    name: 'alerts',
    hints: ['clock'],
    idleMs: () => world.hints.pollMs(IDLE_MS, 'schedule'),
    onError,
    step: async () => {
      if (!(await takeAlertLease(world, holder))) return 0
      if (after === '') await aside.attempt(INSTALLATION, () => checkInstallation(world, sources))
      const accounts = await listAccountsToCheck(world, sources, after, PORTION)
      for (const accountId of accounts) {
        await aside.attempt(accountId, () => checkAndRecord(world, sources, accountId))
      }
      after = accounts.length < PORTION ? '' : accounts.at(-1)!
      return after === '' ? 0 : accounts.length
    },
  }
}

async function takeAlertLease({ db, clock }: World, holder: string): Promise<boolean> {
  const now = clock.machineNow()
  return takeLease(db, holder, now, new Date(now.getTime() + LEASE_MS))
}

/** One whole round, for tests and commands. The caller gets the errors. Returns how many alerts were raised or cleared. */
export async function checkAll(world: World, sources: AlertSources): Promise<number> {
  let changed = await checkInstallation(world, sources)
  for (let after: AccountId = ''; ; ) {
    const accounts = await listAccountsToCheck(world, sources, after, PORTION)
    for (const accountId of accounts) changed += await checkAndRecord(world, sources, accountId)
    if (accounts.length < PORTION) return changed
    after = accounts.at(-1)!
  }
}

/** In order of their IDs. Each list is complete up to its last account, so the first ones of all lists are, too. */
async function listAccountsToCheck(
  { db, clock }: World,
  { listAccountsWithWebhooks }: AlertSources,
  after: AccountId,
  limit: number,
): Promise<AccountId[]> {
  const lists = [
    await listAccountsWithTraffic(db, after, limit, clock.now()),
    await listAccountsWithAlerts(db, after, limit),
    await listAccountsWithTroubledCampaigns(db, after, limit),
    await listAccountsWithTroubledNumbers(db, after, limit),
    await listAccountsWithWebhooks(db, after, limit),
  ]
  const accounts = new Set(lists.flat())
  accounts.delete(INSTALLATION)
  return [...accounts].sort((a, b) => (a < b ? -1 : 1)).slice(0, limit)
}

async function checkAndRecord(
  world: World,
  { listWebhooks }: AlertSources,
  accountId: AccountId,
): Promise<number> {
  const checked = await checkAccount(world.db, listWebhooks, accountId, world.clock.now())
  return recordAlerts(world, accountId, checked)
}

/** Link reports use real time. */
async function checkInstallation(world: World, { listLinks }: AlertSources): Promise<number> {
  const { db, clock } = world
  const open = byKey(await listOpenAlerts(db, INSTALLATION))
  const found = findLinkTrouble(await listLinks(world), open, clock.machineNow())
  const settings = await findAlertSettings(db, INSTALLATION)
  return recordAlerts(world, INSTALLATION, { found, open, settings })
}
