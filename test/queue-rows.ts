// Queue rows with exact times for tests: statements run directly with a given time, without loops and
// clocks.

import type { TestContext } from 'node:test'
import { type Database, openDatabase } from '../src/kit/postgres/db.js'
import { sql } from '../src/kit/postgres/sql.js'
import type { LaneKey } from '../src/messages/lane-queries.js'
import { cloneDatabase } from './harness.js'

export const NOW = new Date('2026-11-15T12:00:00.000Z')

/** This many milliseconds after, or before, the test's time. */
export function at(ms: number): Date {
  return new Date(NOW.getTime() + ms)
}

export const LANE: LaneKey = { accountId: 'acc_own', campaignId: 'cmp_own', route: 'open' }
/** Lanes that differ from it in one field: account, campaign, or route. */
export const OTHER_LANES: readonly LaneKey[] = [
  { ...LANE, accountId: 'acc_other' },
  { ...LANE, campaignId: 'cmp_other' },
  { ...LANE, route: 'att-sms' },
]

type Row = Record<string, unknown>

export interface QueueRows {
  db: Database
  /** By column name. */
  message: (id: string, row?: Row, lane?: LaneKey) => Promise<void>
  lane: (lane: LaneKey, row?: Row) => Promise<void>
  campaign: (lane: LaneKey) => Promise<void>
  /** One column of all messages that have a value there, by id. */
  column: (name: 'due_at' | 'expires_at' | 'counted_day') => Promise<Record<string, unknown>>
}

export async function queueRows(t: TestContext): Promise<QueueRows> {
  const { url, drop } = await cloneDatabase()
  const db = openDatabase({ url, poolMax: 3, applicationName: 'test', onError: () => {} })
  t.after(async () => {
    await db.end()
    await drop()
  })
  for (const { accountId } of [LANE, OTHER_LANES[0]!]) {
    await db.query(sql`
      insert into accounts (account_id, name, created_at) values (${accountId}, 'Test', ${NOW})`)
  }
  return rowsOn(db)
}

export function rowsOn(db: Database): QueueRows {
  return {
    db,
    message: async (id, row = {}, { accountId, campaignId, route } = LANE) => {
      const whole = {
        account_id: accountId,
        id,
        campaign_id: campaignId,
        route,
        ...MESSAGE,
        ...row,
      }
      await db.query(sql`
        insert into messages
        select * from jsonb_populate_record(null::messages, ${JSON.stringify(whole)}::jsonb)`)
    },
    lane: async ({ accountId, campaignId, route }, row = {}) => {
      const key = { account_id: accountId, campaign_id: campaignId, route }
      const whole = { ...key, window_slots: {}, holds: [], ...row }
      await db.query(sql`
        insert into lanes
        select * from jsonb_populate_record(null::lanes, ${JSON.stringify(whole)}::jsonb)`)
    },
    campaign: async ({ accountId, campaignId }) => {
      // This database belongs to this test only, and the statements under test read no brand.
      await db.query(sql`
        alter table campaigns drop constraint if exists campaigns_account_id_brand_id_fkey`)
      await db.query(sql`
        insert into campaigns (account_id, id, brand_id, status, display_name, optin_keywords, optout_keywords,
          help_keywords, optin_message, optout_message, help_message, created_at, updated_at)
        values (${accountId}, ${campaignId}, 'brd_1', 'ACTIVE', 'Test', '{}', '{}', '{}', '', '', '', ${NOW}, ${NOW})
        on conflict do nothing`)
    },
    column: async (name) => {
      const rows = await db.query<Row & { id: string }>(sql`
        select account_id, id, due_at, expires_at, counted_day from messages order by id`)
      const filled = rows.filter((row) => row[name] !== null)
      return Object.fromEntries(filled.map((row) => [row.id, row[name]]))
    },
  }
}

const MESSAGE: Row = {
  type: 'SMS',
  direction: 'OUTBOUND',
  number: '+14152000001',
  peer: '+14155550107',
  body: 'Hello',
  media_urls: [],
  metadata: {},
  num_segments: 1,
  is_reply: false,
  price_micros: 7900,
  is_refunded: false,
  status: 'QUEUED',
  sequence: 0,
  attempts: 0,
  timeline: [],
  media_checked: false,
  created_at: NOW,
}
