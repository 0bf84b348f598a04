// A simple model of customers' money: what each successful request must leave in the ledger. Clients record the results
// of their requests here, and at the end the ledger must match.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { findClosingDrift, findDrift } from '../../src/ledger/ledger-queries.js'

const FEE = 10_000_000n
const DAY_MS = 24 * 60 * 60 * 1000
const CENT = 10_000n

export interface AssignedNumber {
  campaignId: string
  priceMicros: bigint
}

export interface ModelAccount {
  accountId: string
  token: string
  brandId: string
  /** Campaigns that can send, and those created during the test. */
  campaigns: string[]
  numbers: Map<string, AssignedNumber>
  /** The monthly price of every number the account ever had. */
  monthlyPrices: Map<string, bigint>
  /** By reference: the change of the wallet in micros. Without renewals. */
  entries: Map<string, bigint>
  /** Accepted messages without a final status, with their price. */
  open: Map<string, bigint>
  scheduled: string[]
  /** The wallet at the start of the current run, and the amount spent since. */
  before: bigint
  spent: bigint
  /** Prices of requests refused for insufficient balance in the current run. */
  refused: bigint[]
}

export function newModel(
  given: Pick<ModelAccount, 'accountId' | 'token' | 'brandId' | 'campaigns'>,
): ModelAccount {
  return {
    ...given,
    numbers: new Map(),
    monthlyPrices: new Map(),
    entries: new Map(),
    open: new Map(),
    scheduled: [],
    before: 0n,
    spent: 0n,
    refused: [],
  }
}

export function noteNumber(model: ModelAccount, number: string, held: AssignedNumber): void {
  model.numbers.set(number, held)
  model.monthlyPrices.set(number, held.priceMicros)
}

export function note(model: ModelAccount, reference: string, amountMicros: bigint): void {
  assert.ok(!model.entries.has(reference), `${reference} succeeded twice`)
  model.entries.set(reference, amountMicros)
  if (amountMicros < 0n) model.spent -= amountMicros
}

/**
 * Every refusal must have been justified: the wallet never held less than its opening balance minus everything spent.
 * Checked after the run, since replies may still be in flight before.
 */
export function checkRefusals(model: ModelAccount): void {
  const lowest = model.before - model.spent
  for (const price of model.refused.splice(0)) {
    assert.ok(lowest < price, `refused ${price} although the wallet had at least ${lowest}`)
  }
}

interface Row {
  reason: string
  reference: string
  amount: bigint
  campaignId: string | null
  createdAt: Date
}

interface CampaignRow {
  id: string
  status: string
  approvedAt: Date | null
  renewsAt: Date | null
  graceUntil: Date | null
}

/**
 * Compares the whole ledger with the models. Renewals are checked separately. After `quietSince` no client acted, so
 * the numbers that a renewal must include are known exactly.
 */
export async function checkBooks(
  db: Database,
  models: readonly ModelAccount[],
  quietSince: Date,
): Promise<void> {
  assert.deepEqual(await findDrift(db), [], 'every balance is the sum of its entries')
  assert.deepEqual(await findClosingDrift(db), [])
  const [off] = await db.query<{ total: bigint; below: number }>(sql`
    select sum(balance_micros)::bigint as total,
      (count(*) filter (where ledger = 'wallet' and balance_micros < 0))::int as below
    from ledger_balances`)
  assert.deepEqual(
    off,
    { total: 0n, below: 0 },
    'debits equal credits, and no wallet is below zero',
  )
  await Promise.all(models.map((model) => checkAccount(db, model, quietSince)))
}

async function checkAccount(db: Database, model: ModelAccount, quietSince: Date): Promise<void> {
  await closeMessages(db, model)
  const rows = await db.query<Row>(sql`
    select reason, reference, campaign_id as "campaignId", created_at as "createdAt",
      case when to_ledger = 'wallet' then amount_micros else -amount_micros end as amount
    from ledger_entries where account_id = ${model.accountId} order by id`)
  const isRenewal = ({ reason }: Row) => reason.endsWith('_renewal')
  const byReference = ([a]: [string, bigint], [b]: [string, bigint]) => (a < b ? -1 : 1)
  const others = rows.filter((row) => !isRenewal(row)).map((row) => [row.reference, row.amount])
  assert.deepEqual(
    (others as [string, bigint][]).sort(byReference),
    [...model.entries].sort(byReference),
    'every successful request is in the ledger exactly once, and nothing else is',
  )
  const renewals = rows.filter(isRenewal)
  await checkRenewals(db, model, renewals)
  checkNumberRenewals(model, renewals, quietSince)

  const total = (amounts: Iterable<bigint>) => [...amounts].reduce((sum, one) => sum + one, 0n)
  const expected = total(model.entries.values()) + total(renewals.map(({ amount }) => amount))
  const [wallet] = await db.query<{ balance: bigint }>(sql`
    select balance_micros as balance from ledger_balances
    where account_id = ${model.accountId} and ledger = 'wallet'`)
  assert.equal(wallet!.balance, expected, 'the wallet matches the model')
  model.before = wallet!.balance
  model.spent = 0n
}

/** Messages with a final status: those that failed must have been refunded. */
async function closeMessages(db: Database, model: ModelAccount): Promise<void> {
  const rows = await db.query<{ id: string; status: string; code: number | null }>(sql`
    select id, status, error_code as code from messages
    where account_id = ${model.accountId} and id = any (${[...model.open.keys()]}::text[])`)
  assert.equal(rows.length, model.open.size, 'every accepted message exists')
  for (const { id, status, code } of rows) {
    // The simulated carrier refuses at submit and reports no failures in receipts, so every failure is refunded.
    if (code !== null) note(model, `refund:${id}`, model.open.get(id)!)
    const isOver = status !== 'QUEUED' && status !== 'SCHEDULED'
    if (isOver) model.open.delete(id)
  }
}

/**
 * For each campaign: whole months from the day of approval, each paid once, in order, with every number at its price.
 * Everything that could be paid has been paid.
 */
async function checkRenewals(db: Database, model: ModelAccount, rows: Row[]): Promise<void> {
  const campaigns = await db.query<CampaignRow>(sql`
    select id, status, approved_at as "approvedAt", renews_at as "renewsAt",
      grace_until as "graceUntil"
    from campaigns where account_id = ${model.accountId}`)
  assert.deepEqual(campaigns.map(({ id }) => id).sort(), [...model.campaigns].sort())
  const references = rows.map(({ reference }) => reference)
  assert.equal(new Set(references).size, references.length)
  for (const campaign of campaigns) {
    const own = rows.filter(({ campaignId }) => campaignId === campaign.id)
    const fees = own.filter(({ reason }) => reason === 'campaign_renewal')
    const paidDays = fees.map(({ reference }) => reference.split(':')[2]!)
    assert.ok(fees.every(({ amount }) => amount === -FEE))
    assert.deepEqual(paidDays, [...new Set(paidDays)].sort(), 'months are paid in order')
    if (!campaign.approvedAt) {
      assert.deepEqual(own, [])
      continue
    }
    const days = monthDays(campaign.approvedAt, 40)
    assert.ok(
      paidDays.every((day) => days.includes(day)),
      `${paidDays} are renewal dates`,
    )
    // Number renewals are paid only together with the fee of the same month.
    for (const { reason, reference } of own) {
      if (reason === 'number_renewal') assert.ok(paidDays.includes(reference.split(':')[3]!))
    }
    const renewsOn = campaign.renewsAt!.toISOString().slice(0, 10)
    const lastPaid = paidDays.at(-1) ?? campaign.approvedAt.toISOString().slice(0, 10)
    assert.equal(renewsOn, days[days.indexOf(lastPaid) + 1], 'paid until the next renewal date')
  }
}

/** Each number renews at its price, and all numbers of the campaign renew, if it is known which ones it had. */
function checkNumberRenewals(model: ModelAccount, rows: Row[], quietSince: Date): void {
  for (const { reason, reference, amount } of rows) {
    if (reason === 'number_renewal') {
      assert.equal(-amount, model.monthlyPrices.get(reference.split(':')[1]!), reference)
    }
  }
  for (const fee of rows) {
    if (fee.reason !== 'campaign_renewal' || fee.createdAt < quietSince) continue
    const day = fee.reference.split(':')[2]
    const held = [...model.numbers].filter(([, { campaignId }]) => campaignId === fee.campaignId)
    const expected = held.map(([number]) => `number_renewal:${number}:${fee.campaignId}:${day}`)
    const own = rows.filter(({ reason, campaignId }) => {
      return reason === 'number_renewal' && campaignId === fee.campaignId
    })
    const paid = own.map(({ reference }) => reference).filter((one) => one.endsWith(`:${day}`))
    assert.deepEqual(paid.sort(), expected.sort(), 'every number of the campaign is paid with it')
  }
}

/** The day of approval and the days one, two, three … months later. Computed independently of our code. */
function monthDays(approvedAt: Date, count: number): string[] {
  const [year, month, day] = approvedAt.toISOString().slice(0, 10).split('-').map(Number)
  return Array.from({ length: count }, (_, i) => {
    const first = new Date(Date.UTC(year!, month! - 1 + i, 1))
    const next = new Date(Date.UTC(year!, month! + i, 1))
    const length = Math.round((next.getTime() - first.getTime()) / DAY_MS)
    return new Date(first.getTime() + (Math.min(day!, length) - 1) * DAY_MS)
      .toISOString()
      .slice(0, 10)
  })
}

/** Waits until nothing is in progress. The timeout of the test ends a wait that hangs. */
export async function settle(db: Database, now: () => Date, wake = () => {}): Promise<void> {
  for (wake(); !(await isSettled(db, now())); wake()) await sleep(50)
}

interface Payable {
  campaignId: string
  status: string
  graceUntil: Date | null
  balance: bigint
  fee: bigint | null
}

/** Nothing is in progress: no message, no review, and no renewal that could be paid. */
async function isSettled(db: Database, now: Date): Promise<boolean> {
  const waiting = await db.query(sql`
    select 1 from messages
    where status = 'QUEUED' or (status = 'SCHEDULED' and scheduled_at <= ${now}) limit 1`)
  if (waiting.length > 0) return false
  const campaigns = await db.query<Payable>(sql`
    select c.id as "campaignId", c.status, c.grace_until as "graceUntil", l.wallet_micros as balance, c.monthly_fee_micros as fee
    from campaigns c join account_ledgers l on l.account_id = c.account_id
    where c.status = 'PENDING' or c.renews_at <= ${now}`)
  const monthlyPrices = await db.query<{ campaignId: string; price: bigint }>(sql`
    select campaign_id as "campaignId", sum(monthly_price_micros)::bigint as price
    from numbers where campaign_id is not null group by campaign_id`)
  const priceOf = new Map(monthlyPrices.map(({ campaignId, price }) => [campaignId, price]))
  return !campaigns.some(({ campaignId, status, graceUntil, balance, fee }) => {
    if (status === 'PENDING' || graceUntil === null) return true
    const cost = fee === null ? null : fee + (priceOf.get(campaignId) ?? 0n)
    return (status === 'ACTIVE' && graceUntil <= now) || (cost !== null && balance >= cost)
  })
}

/** The price prorated for the rest of the month, rounded up to a cent. A partial day counts as a whole day. */
export function proratedMicros(priceMicros: bigint, approvedAt: Date, purchasedAt: Date): bigint {
  const time = approvedAt.toISOString().slice(10)
  const starts = monthDays(approvedAt, 40).map((day) => new Date(`${day}${time}`).getTime())
  const i = starts.findIndex((start) => start > purchasedAt.getTime())
  const days = BigInt(Math.round((starts[i]! - starts[i - 1]!) / DAY_MS))
  const left = BigInt(Math.ceil((starts[i]! - purchasedAt.getTime()) / DAY_MS))
  const share = priceMicros * left
  return ((share + days * CENT - 1n) / (days * CENT)) * CENT
}
