// Customers with a campaign, a number, limits, and a webhook. One has a small balance that runs out midway, and one has
// limits that are reached within a minute.

import { setTimeout as sleep } from 'node:timers/promises'
import { createToken } from '../../src/accounts/create-account.js'
import { newId } from '../../src/kit/ids.js'
import type { Database, Transaction } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { openAccount } from '../../src/ledger/open-account.js'
import { EVENT_TYPES } from './judge/contract.js'
import type { ChaosReceiver, ExpectedWebhook } from './receivers.js'

export interface Customer {
  name: string
  accountId: string
  campaignId: string
  token: string
  number: string
  creditMicros: bigint
  limits: Limits
  receiver: ChaosReceiver
}

interface Limits {
  smsTpmAtt: number
  dailyTmoCap: number
}

const WEBHOOK_ATTEMPTS = 30
const WEBHOOK_AGAIN_MS = 2_000
const PLENTY_MICROS = 1_000_000_000n

/** The initial state, as operators and registries would have set it up. */
export const KINDS_OF_CUSTOMERS = [
  { name: 'large', creditMicros: PLENTY_MICROS, limits: { smsTpmAtt: 240, dailyTmoCap: 400 } },
  { name: 'medium', creditMicros: PLENTY_MICROS, limits: { smsTpmAtt: 180, dailyTmoCap: 150 } },
  { name: 'poor', creditMicros: 3_000_000n, limits: { smsTpmAtt: 240, dailyTmoCap: 60 } },
  { name: 'small', creditMicros: PLENTY_MICROS, limits: { smsTpmAtt: 8, dailyTmoCap: 10 } },
]

export async function addCustomer(
  db: Database,
  kind: (typeof KINDS_OF_CUSTOMERS)[number],
  index: number,
  receiver: ChaosReceiver,
): Promise<Customer> {
  const now = new Date()
  const { name, creditMicros, limits } = kind
  const number = `+1650200${String(1000 + index)}`
  return db.transaction(async (tx) => {
    const { accountId } = await openAccount(tx, { name, creditMicros }, now)
    const { text: token } = await createToken(tx, accountId, {}, now)
    const campaignId = await addCampaign(tx, accountId, limits, now)
    await tx.query(sql`
      insert into numbers (phone_number, account_id, campaign_id, is_default, location,
        monthly_price_micros, purchased_at)
      values (${number}, ${accountId}, ${campaignId}, true, 'Palo Alto, CA', 0, ${now})`)
    return { name, accountId, campaignId, token, number, creditMicros, limits, receiver }
  })
}

async function addCampaign(
  tx: Transaction,
  accountId: string,
  { smsTpmAtt, dailyTmoCap }: Limits,
  now: Date,
): Promise<string> {
  const brandId = newId('brd', now)
  const campaignId = newId('cmp', now)
  await tx.query(sql`
    insert into brands (account_id, id, status, entity_type, created_at, updated_at)
    values (${accountId}, ${brandId}, 'VERIFIED', 'PRIVATE_PROFIT', ${now}, ${now})`)
  await tx.query(sql`
    insert into campaigns (account_id, id, brand_id, status, display_name, optin_keywords,
      optout_keywords, help_keywords, optin_message, optout_message, help_message, sms_tpm_att,
      daily_tmo_cap, created_at, updated_at)
    values (${accountId}, ${campaignId}, ${brandId}, 'ACTIVE', 'Chaos', '{START}', '{STOP}', '{HELP}',
      'Chaos: welcome back', 'Chaos: goodbye', 'Chaos: help', ${smsTpmAtt}, ${dailyTmoCap}, ${now},
      ${now})`)
  return campaignId
}

/** Created through the API, as a customer would. The response has what the receiver verifies with. */
export async function addWebhook(address: string, customer: Customer): Promise<void> {
  let problem = ''
  // A machine that just started everything may be too busy for the first requests.
  for (let attempt = 0; attempt < WEBHOOK_ATTEMPTS; attempt += 1) {
    const reply = await requestWebhook(address, customer)
    if (typeof reply === 'object') return customer.receiver.expect(reply)
    problem = reply
    await sleep(WEBHOOK_AGAIN_MS)
  }
  throw new Error(`no webhook: ${problem}`)
}

/** The webhook, or why there is none. */
async function requestWebhook(
  address: string,
  { campaignId, token, receiver }: Customer,
): Promise<ExpectedWebhook | string> {
  const reply = await fetch(`${address}/v1/campaign/${campaignId}/webhooks`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': 'webhook',
    },
    body: JSON.stringify({ url: receiver.url, eventTypes: EVENT_TYPES }),
  })
  const text = await reply.text()
  const { webhook } = JSON.parse(text) as { webhook?: ExpectedWebhook }
  return reply.ok && webhook ? webhook : text
}
