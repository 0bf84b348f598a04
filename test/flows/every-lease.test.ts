// Every write that requires a lease is tried with one that somebody else has taken over: nothing changes. Then with a
// valid one: it does. Tables come from the database: a new table with a lease needs a line in WRITES.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeLease } from '../../src/alerts/alert-queries.js'
import type { Registration } from '../../src/brands/registration.js'
import {
  claimRegistration,
  delayRegistration,
  deleteRegistration,
  findRegistration,
  recordRegistration,
  renewRegistration,
} from '../../src/brands/registration-queries.js'
import { claimRenewal, updateRenewal } from '../../src/campaigns/renewal/renewal-queries.js'
import { recordDeliveredEvents } from '../../src/events/queue/delivered-event-queries.js'
import { requeueBatch } from '../../src/events/queue/delivery-batch-queries.js'
import { releaseDeliveries } from '../../src/events/queue/delivery-lease-queries.js'
import { recordOutcomes } from '../../src/events/queue/delivery-outcome-queries.js'
import { newId } from '../../src/kit/ids.js'
import type { Transaction } from '../../src/kit/postgres/db.js'
import { raw, sql } from '../../src/kit/postgres/sql.js'
import type { QueuedEmail } from '../../src/mail/email.js'
import { claimEmail, recordAttempt } from '../../src/mail/email-queries.js'
import { requeueHandoff } from '../../src/messages/dispatch/handoff-queries.js'
import { takeUnsettled } from '../../src/messages/dispatch/settle-queries.js'
import { abandonSubmit, insertSubmits } from '../../src/messages/dispatch/submit-queries.js'
import { claimExport, findExport, updateExport } from '../../src/messages/exports/export-queries.js'
import { claimProbe } from '../../src/messages/link-pause-queries.js'
import { abandonFetch, claimFetches, retryFetch } from '../../src/messages/media/fetch-queries.js'
import { takeWaitingReceipts } from '../../src/messages/moves/receipt-queries.js'
import {
  claimProfile,
  claimTask,
  deleteTask,
  type ProvisioningTask,
  recordTask,
  renewTask,
} from '../../src/numbers/provider-number-queries.js'
import { createAccountRecords } from '../account-records.js'
import { fillStates, type Row } from '../account-twin.js'
import { testService } from '../harness.js'

const NOW = new Date('2027-03-01T12:00:00.000Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const [MINE, THEIRS] = [at(60), at(90)]

interface Write {
  table: string
  /** The row while this process has its lease, and after another took it over. */
  mine: Row
  theirs: Row
  /** `row` is as this process knows it. */
  run: (tx: Transaction, row: Row) => Promise<unknown>
}

const keyOf = (row: Row) => ({ accountId: String(row.account_id), id: String(row.id) })
const alive = { now: NOW, until: at(10) }

function taskOf(row: Row): ProvisioningTask {
  return {
    ...keyOf(row),
    phoneNumber: String(row.phone_number),
    campaignId: String(row.campaign_id),
    link: String(row.link),
    phase: 'bind',
    since: NOW,
    chargedMicros: 1n,
    purchasedAt: NOW,
    orderedAt: NOW,
    numberId: 'their-id',
    isForwardingDue: false,
    attempts: 7,
    lastError: 'it failed',
    dueAt: MINE,
  }
}

const DUE = {
  mine: { due_at: MINE, alive_until: null },
  theirs: { due_at: THEIRS, alive_until: null },
}
const task = { table: 'rented_numbers', ...DUE }
const registration = { table: 'registrations', ...DUE }
const registered = async (tx: Transaction, row: Row): Promise<Registration> => {
  const key = { accountId: String(row.account_id), recordId: String(row.record_id) }
  return { ...(await findRegistration(tx, key))!, dueAt: MINE }
}
const failed = { attempts: 9, failingSince: NOW, lastError: 'it failed', dueAt: at(5) }
const email = {
  table: 'emails',
  mine: { due_at: MINE, attempts: 3, finished_at: null },
  theirs: { due_at: THEIRS, attempts: 4, finished_at: null },
}
const emailOf = (row: Row): QueuedEmail => ({
  ...keyOf(row),
  ...{ recipient: '', content: {} as QueuedEmail['content'], attempts: 2, dueAt: MINE },
})
const delivery = {
  table: 'event_deliveries',
  mine: { state: 'pending', due_at: NOW, lease_until: MINE },
  theirs: { state: 'pending', due_at: NOW, lease_until: THEIRS },
}
const outcomeOf = (row: Row, state: 'delivered' | 'pending' | 'failed') => ({
  ...{ id: String(row.id), subscriberId: String(row.subscriber_id), leaseUntil: MINE, state },
  dueAt: state === 'pending' ? at(30) : null,
})
const outcome =
  (state: 'delivered' | 'pending' | 'failed') =>
  (tx: Transaction, row: Row): Promise<void> =>
    recordOutcomes(tx, String(row.account_id), [outcomeOf(row, state)], NOW)
const running = { status: 'RUNNING', due_at: MINE }

const PAID = {
  status: 'ACTIVE',
  period_start: at(-60),
  monthly_fee_micros: 10_000_000,
  renewal_day: 1,
}

/** A claim: what is due may be taken, and what somebody has taken may not, however soon that ends. */
const free = (column: string) => ({ mine: { [column]: NOW }, theirs: { [column]: at(1) } })

const WRITES: Record<string, Write> = {
  recordTask: {
    ...task,
    run: (tx, row) => recordTask(tx, taskOf(row), { ...taskOf(row), dueAt: null }),
  },
  renewTask: { ...task, run: (tx, row) => renewTask(tx, taskOf(row), at(20)) },
  deleteTask: { ...task, run: (tx, row) => deleteTask(tx, taskOf(row)) },
  claimTask: {
    ...{ table: 'rented_numbers', mine: { ...free('due_at').mine, alive_until: null } },
    theirs: { due_at: THEIRS, alive_until: at(20) },
    run: (tx, row) => claimTask(tx, keyOf(row), { now: NOW, leaseUntil: MINE, alive }),
  },
  'claimTask of a dead worker': {
    table: 'rented_numbers',
    mine: { due_at: THEIRS, alive_until: NOW },
    theirs: { due_at: THEIRS, alive_until: at(1) },
    run: (tx, row) => claimTask(tx, keyOf(row), { now: NOW, leaseUntil: MINE, alive }),
  },
  recordRegistration: {
    ...registration,
    run: async (tx, row) => {
      const leased = await registered(tx, row)
      return recordRegistration(tx, leased, { ...leased, attempts: 9, dueAt: at(5) })
    },
  },
  delayRegistration: {
    ...registration,
    run: async (tx, row) => delayRegistration(tx, await registered(tx, row), failed),
  },
  renewRegistration: {
    ...registration,
    run: async (tx, row) => renewRegistration(tx, await registered(tx, row), at(20)),
  },
  deleteRegistration: {
    ...registration,
    run: async (tx, row) => deleteRegistration(tx, await registered(tx, row)),
  },
  claimRegistration: {
    ...{ table: 'registrations', mine: { due_at: NOW, alive_until: null } },
    theirs: { due_at: THEIRS, alive_until: at(20) },
    run: async (tx, row) =>
      claimRegistration(tx, await registered(tx, row), { now: NOW, leaseUntil: MINE, alive }),
  },
  claimProfile: {
    table: 'campaign_profiles',
    mine: { begun_at: at(-60), profile_id: null },
    theirs: { begun_at: at(-1), profile_id: null },
    run: (tx, row) =>
      claimProfile(
        tx,
        {
          ...{ accountId: String(row.account_id), campaignId: String(row.campaign_id) },
          link: String(row.link),
        },
        { now: NOW, abandonedBefore: at(-30) },
      ),
  },
  updateExport: {
    ...{ table: 'message_exports', mine: running, theirs: { ...running, due_at: THEIRS } },
    run: async (tx, row) => {
      const found = await findExport(tx, keyOf(row), new Date(0))
      return updateExport(tx, { ...found!, rowCount: 99 }, MINE)
    },
  },
  claimExport: {
    ...{ table: 'message_exports', mine: { ...running, due_at: NOW } },
    theirs: { ...running, due_at: THEIRS },
    run: (tx, row) => claimExport(tx, keyOf(row), NOW, MINE),
  },
  'recordAttempt of an email': {
    ...email,
    run: (tx, row) => recordAttempt(tx, emailOf(row), { problem: 'down', dueAt: at(5), now: NOW }),
  },
  'recordAttempt of an email that another process has sent': {
    ...email,
    theirs: { due_at: null, attempts: 3, finished_at: NOW },
    run: (tx, row) => recordAttempt(tx, emailOf(row), { problem: 'down', dueAt: at(5), now: NOW }),
  },
  claimEmail: {
    ...email,
    mine: { ...email.mine, attempts: 2 },
    run: (tx, row) => claimEmail(tx, emailOf(row), THEIRS),
  },
  'recordOutcomes, delivered': { ...delivery, run: outcome('delivered') },
  'recordOutcomes, pending': { ...delivery, run: outcome('pending') },
  'recordOutcomes, failed': { ...delivery, run: outcome('failed') },
  recordDeliveredEvents: {
    ...delivery,
    run: (tx, row) =>
      recordDeliveredEvents(
        tx,
        String(row.account_id),
        [
          {
            ...{ deliveryId: String(row.id), leaseUntil: MINE, at: NOW, responseStatus: 200 },
            ...{ durationMs: 7, responseBody: null, request: null },
          },
        ],
        NOW,
      ),
  },
  releaseDeliveries: {
    ...delivery,
    run: (tx, row) =>
      releaseDeliveries(tx, String(row.account_id), [String(row.id)], [MINE], at(1)),
  },
  retryFetch: {
    table: 'media_fetches',
    mine: { attempts: 1, due_at: MINE },
    theirs: { attempts: 2, due_at: THEIRS },
    run: (tx, row) => retryFetch(tx, { id: String(row.id), attempts: 1 }, at(5)),
  },
  abandonFetch: {
    table: 'media_fetches',
    mine: { attempts: 1, due_at: MINE },
    theirs: { attempts: 2, due_at: THEIRS },
    run: (tx, row) => abandonFetch(tx, { id: String(row.id), attempts: 1 }),
  },
  claimFetches: {
    ...{ table: 'media_fetches', ...free('due_at') },
    run: (tx) => claimFetches(tx, { now: NOW, leaseUntil: MINE, limit: 9 }),
  },
  takeLease: {
    table: 'alert_lease',
    mine: { holder: 'me', expires_at: THEIRS },
    theirs: { holder: 'they', expires_at: THEIRS },
    run: (tx) => takeLease(tx, 'me', NOW, at(100)),
  },
  'takeLease that has expired': {
    table: 'alert_lease',
    mine: { holder: 'they', expires_at: at(-1) },
    theirs: { holder: 'they', expires_at: at(1) },
    run: (tx) => takeLease(tx, 'me', NOW, at(100)),
  },
  takeWaitingReceipts: {
    ...{ table: 'unmatched_receipts', ...free('check_at') },
    run: (tx) => takeWaitingReceipts(tx, NOW, { limit: 9, leaseUntil: MINE }),
  },
  requeueHandoff: {
    table: 'messages',
    mine: { status: 'QUEUED', due_at: null, settle_at: null },
    theirs: { status: 'QUEUED', due_at: null, settle_at: at(60) },
    run: (tx, row) => {
      const id = String(row.id)
      return requeueHandoff(tx, { ...keyOf(row), firstId: id, lastId: id }, NOW)
    },
  },
  abandonSubmit: {
    table: 'messages',
    mine: { status: 'QUEUED', due_at: NOW, settle_at: null },
    theirs: { status: 'QUEUED', due_at: at(1), settle_at: null },
    run: async (tx, row) => {
      const submit = { ...keyOf(row), id: newId('evt', NOW), link: 'simulator' }
      const messages = [{ id: String(row.id), dueAt: NOW }]
      await insertSubmits(tx, [{ ...submit, messages }], NOW)
      return abandonSubmit(tx, submit, { settleAt: at(60), entry: 'unknown' })
    },
  },
  takeUnsettled: {
    table: 'messages',
    mine: { status: 'QUEUED', due_at: null, settle_at: NOW },
    theirs: { status: 'QUEUED', due_at: null, settle_at: at(1) },
    run: (tx, row) =>
      takeUnsettled(tx, keyOf(row).accountId, [String(row.id)], { now: NOW, leaseUntil: MINE }),
  },
  claimRenewal: {
    table: 'campaigns',
    mine: { ...PAID, renews_at: NOW },
    theirs: { ...PAID, renews_at: at(1) },
    run: async (tx, row) => {
      const claimed = await claimRenewal(tx, keyOf(row), NOW)
      if (claimed) await updateRenewal(tx, claimed, NOW)
    },
  },
  requeueBatch: {
    ...{ table: 'delivery_batches', ...free('lease_until') },
    run: (tx, row) => requeueBatch(tx, keyOf(row), NOW),
  },
  claimProbe: {
    ...{ table: 'link_pauses', ...free('probe_at') },
    run: (tx) => claimProbe(tx, 'simulator', { now: NOW, nextAt: MINE }),
  },
}

/** Tables with such columns whose writes are covered elsewhere, or need no lease. */
const OTHERS: Record<string, string> = {
  handoffs: 'the process that deletes the row has it: handoff.test.ts',
  submits: 'the same: unknown-outcomes.test.ts',
  event_arrivals: 'finished',
}

/** Rows of tables that have none otherwise. */
const SHARED: Record<string, Row> = {
  delivery_batches: {
    ...{ account_id: 'acc_1', id: 'bat_1', subscriber_id: 'whk_1', event_ids: [] },
    created_at: NOW,
  },
  alert_lease: { only_row: true, holder: 'me', expires_at: NOW },
  link_pauses: {
    link: 'simulator',
    paused_at: NOW,
    paused_by: 'x',
    reason: 'x',
    code: 'x',
    probes: 0,
  },
  unmatched_receipts: {
    ...{ id: 'rcp_1', carrier: 'simulator', message_id: 'msg_1', status: 'SENT', received_at: NOW },
    ...{ carrier_ids: ['1'], is_unconfirmed: false, is_opted_out: false },
  },
}

test('a write under a lease that another process has taken over changes nothing', async (t) => {
  const service = await testService(t, { balance: '1000' })
  const own = await createAccountRecords(service, service, 'Mineral')
  await fillStates(service, own)
  const { db } = service.world
  const leased = await db.query<{ name: string }>(sql`
    select distinct c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      and a.attname in ('lease_until', 'alive_until', 'holder', 'due_at', 'check_at', 'probe_at', 'begun_at')
      and c.relname <> 'usage_progress' and c.relname <> 'forwarding_limits'`)
  const covered = new Set(Object.values(WRITES).map(({ table }) => table))
  const uncovered = leased
    .map(({ name }) => name)
    .filter((name) => !covered.has(name) && !(name in OTHERS))
  assert.deepEqual(uncovered, [], 'a new table with a lease: add its writes to WRITES')

  const problems: string[] = []
  for (const [name, { table, mine, theirs, run }] of Object.entries(WRITES)) {
    const tried = (state: Row) =>
      db
        .transaction(async (tx) => {
          await tx.query(sql`set local session_replication_role = replica`)
          const [stored] = await tx.query<{ row: Row }>(sql`
          select to_jsonb(r) as row from ${raw(table)} r limit 1`)
          const row = { ...(stored?.row ?? SHARED[table]), ...state }
          await tx.query(sql`delete from ${raw(table)}`)
          await tx.query(sql`
          insert into ${raw(table)}
          select * from jsonb_populate_record(null::${raw(table)}, ${JSON.stringify(row)}::jsonb)`)
          const rows = () => tx.query(sql`select to_jsonb(r) as row from ${raw(table)} r`)
          const before = JSON.stringify(await rows())
          await run(tx, row)
          const isChanged = JSON.stringify(await rows()) !== before
          // Nothing stays, so the next write finds the same rows.
          throw new Tried(isChanged)
        })
        .catch((error) => {
          if (error instanceof Tried) return error.isChanged
          throw new Error(`${name}: ${error.message}`)
        })
    if (await tried(theirs)) problems.push(`${name} writes under a lease that it does not have`)
    if (!(await tried(mine))) problems.push(`${name} writes nothing under its own lease`)
  }
  assert.deepEqual(problems, [])
})

class Tried extends Error {
  constructor(readonly isChanged: boolean) {
    super('tried')
  }
}
