// Raises, updates, and clears the alerts of one account: the rows, the events, and the emails, in one transaction.

import { type AccountId, INSTALLATION } from '../accounts/account.js'
import { getAccount } from '../accounts/account-queries.js'
import type { AccountRole } from '../accounts/role.js'
import { type AlertRow, insertAlertEvents } from '../events/append-queries.js'
import { DAY_MS, MINUTE_MS } from '../kit/clock.js'
import { newId } from '../kit/ids.js'
import { brieflyFor, type Queryable, type Transaction } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { deleteOldEmails, queueEmail } from '../mail/email-queries.js'
import { listAddresses, listOperatorAddresses } from '../people/address-queries.js'
import {
  type Alert,
  type AlertFinding,
  type AlertKind,
  type AlertSettings,
  type FoundAlerts,
  keyOf,
  type OpenAlerts,
} from './alert.js'
import { alertEmail } from './alert-email.js'
import { clearAlert, deleteOldAlerts, insertAlert, OPEN_MAX, updateAlert } from './alert-queries.js'
import { wireAlert } from './alert-wire.js'

/** The last values of an open alert are written at most this often. */
const UPDATE_MS = 5 * MINUTE_MS
const HISTORY_MS = 90 * DAY_MS

export interface CheckedAccount {
  found: FoundAlerts
  open: OpenAlerts
  settings: AlertSettings
}

export interface AlertChanges {
  raised: AlertFinding[]
  updated: { alert: Alert; finding: AlertFinding }[]
  cleared: Alert[]
}

/** Pure: what is new, what is over, and whose values changed. */
export function compareAlerts(
  { found, open }: Omit<CheckedAccount, 'settings'>,
  now: Date,
): AlertChanges {
  const kept = new Set([...found.kept, ...found.findings.map(keyOf)])
  const room = Math.max(0, OPEN_MAX - open.size)
  return {
    raised: found.findings.filter((finding) => !open.has(keyOf(finding))).slice(0, room),
    updated: found.findings.flatMap((finding) => {
      const alert = open.get(keyOf(finding))
      const isDue = alert && now.getTime() - alert.updatedAt.getTime() >= UPDATE_MS
      return isDue && alert.whatHappened !== finding.whatHappened ? [{ alert, finding }] : []
    }),
    cleared: [...open.values()].filter((alert) => !kept.has(keyOf(alert))),
  }
}

/** Returns how many were raised or cleared. */
export async function recordAlerts(
  world: World,
  accountId: AccountId,
  checked: CheckedAccount,
): Promise<number> {
  const { db, clock } = world
  const now = clock.now()
  const { raised, updated, cleared } = compareAlerts(checked, now)
  for (const { alert, finding } of updated) await updateAlert(db, alert, finding, now)
  if (raised.length + cleared.length === 0) return 0
  const { mutedKinds } = checked.settings
  const isHeard = ({ kind }: { kind: AlertKind }) => !mutedKinds.includes(kind)
  const mail = await prepareEmails(world, accountId, raised.filter(isHeard))
  return db.transaction(async (tx) => {
    const events: AlertRow[] = []
    const fresh: Alert[] = []
    for (const finding of raised) {
      const times = { raisedAt: now, updatedAt: now, clearedAt: null }
      const alert: Alert = { ...finding, accountId, id: newId('alr', now), ...times }
      if (!(await insertAlert(tx, alert))) continue
      fresh.push(alert)
      if (isHeard(alert)) events.push(eventOf('alert.raised', alert))
    }
    let ended = 0
    for (const alert of cleared) {
      if (!(await clearAlert(tx, alert, now))) continue
      ended += 1
      const over = { ...alert, clearedAt: now, updatedAt: now }
      if (isHeard(alert)) events.push(eventOf('alert.cleared', over))
    }
    // The installation has no webhooks, and no live stream.
    if (accountId !== INSTALLATION) await insertAlertEvents(tx, accountId, events, now)
    await mail(tx, fresh.filter(isHeard))
    await deleteOldAlerts(tx, accountId, new Date(now.getTime() - HISTORY_MS))
    return fresh.length + ended
  }, brieflyFor(accountId))
}

function eventOf(eventType: AlertRow['eventType'], alert: Alert): AlertRow {
  return { eventType, campaignId: alert.campaignId, data: { alert: wireAlert(alert) } }
}

type QueueEmails = (tx: Transaction, alerts: readonly Alert[]) => Promise<void>

/** Reads who gets them, outside the transaction: people are stored elsewhere. */
async function prepareEmails(
  { db, clock, config }: World,
  accountId: AccountId,
  findings: readonly AlertFinding[],
): Promise<QueueEmails> {
  if (config.smtp === null || findings.length === 0) return async () => {}
  const name = accountId === INSTALLATION ? '' : (await getAccount(db, accountId)).name
  const recipients = new Map<AlertKind, string[]>()
  for (const { kind } of findings) {
    if (!recipients.has(kind)) recipients.set(kind, await recipientsOf(db, accountId, kind))
  }
  return async (tx, alerts) => {
    const machineNow = clock.machineNow()
    for (const alert of alerts) {
      const content = alertEmail(alert, name, config.publicUrl)
      for (const recipient of recipients.get(alert.kind) ?? []) {
        await queueEmail(tx, accountId, { recipient, about: alert.id, content }, machineNow)
      }
    }
    await deleteOldEmails(tx, accountId, machineNow)
  }
}

function recipientsOf(db: Queryable, accountId: AccountId, kind: AlertKind): Promise<string[]> {
  if (accountId === INSTALLATION) return listOperatorAddresses(db)
  const roles: AccountRole[] = ['owner', 'admin']
  return listAddresses(db, accountId, kind === 'balance_low' ? [...roles, 'billing'] : roles)
}
