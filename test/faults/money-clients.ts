// Clients that perform random money operations of customers and operators, and record each result in the model.

import assert from 'node:assert/strict'
import { Refusal } from '../../src/kit/contract/refusal.js'
import type { Database } from '../../src/kit/postgres/db.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { correctAccount, creditAccount } from '../../src/ledger/credit-account.js'
import {
  checkRefusals,
  type ModelAccount,
  note,
  noteNumber,
  proratedMicros,
} from './money-model.js'

const SEGMENT = 7_900n
const CREATION_FEE = 20_000_000n
const CENT = 10_000n
/** Delivered, invalid, landline, filtered. The second and third are refunded. */
const RECIPIENTS = ['+14155550101', '+14155550110', '+14155550120', '+14155550180']

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types
  body: any
}

/** The service that clients act on. `call` returns one result per key, whatever happens to the service. */
export interface Stage {
  db: Database
  now: () => Date
  call: (
    model: ModelAccount,
    method: string,
    url: string,
    body: object | undefined,
    key: string,
  ) => Promise<Answer>
  /** Numbers for sale, each with more than one buyer. */
  forSale: readonly { number: string; priceMicros: bigint }[]
  /** Whether the clock moves while clients act. Then a campaign may be unpaid when a number is bought. */
  isClockMoving: () => boolean
}

export type Random = (below: number) => number

/** A small random number generator. The same seed gives the same choices. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

let keys = 0

type Act = (stage: Stage, model: ModelAccount, random: Random) => Promise<void>

const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [14, credit],
  [6, correct],
  [3, createCampaign],
  [14, buy],
  [5, release],
  [36, send],
  [8, sendTwiceWithOneKey],
  [8, sendBatch],
  [6, schedule],
  [4, cancel],
]

/** One run: several clients of one account act at the same time. */
export async function runClients(
  stage: Stage,
  model: ModelAccount,
  random: Random,
  size: { clients: number; acts: number },
): Promise<void> {
  const one = async () => {
    for (let i = 0; i < size.acts; i += 1) await pickAct(random)(stage, model, random)
  }
  await Promise.all(Array.from({ length: size.clients }, one))
  // A renewal may have taken the money meanwhile.
  if (stage.isClockMoving()) model.refused = []
  else checkRefusals(model)
}

function pickAct(random: Random): Act {
  let at = random(ACTS.reduce((sum, [weight]) => sum + weight, 0))
  for (const [weight, act] of ACTS) {
    if (at < weight) return act
    at -= weight
  }
  throw new Error('unreachable')
}

function pick<T>(list: readonly T[], random: Random): T | undefined {
  return list[random(Math.max(list.length, 1))]
}

function nextKey(): string {
  keys += 1
  return `key-${keys}`
}

// Two clients may use the same reference: one of them is refused.
async function credit({ db, now }: Stage, model: ModelAccount, random: Random): Promise<void> {
  const amountMicros = BigInt(1 + random(random(8) === 0 ? 25_000_000 : 40_000))
  const reference = `pay-${random(4) === 0 ? keys : nextKey()}`
  await operate(model, `credit:${reference}`, amountMicros, () =>
    db.transaction((tx) =>
      creditAccount(tx, model.accountId, { amountMicros, note: 'test', reference }, now()),
    ),
  )
}

async function correct({ db, now }: Stage, model: ModelAccount, random: Random): Promise<void> {
  const amountMicros = BigInt(random(2) === 0 ? 1 + random(9_000) : -1 - random(3_000_000))
  const reference = nextKey()
  const reason = amountMicros > 0n ? 'correction_credit' : 'correction'
  await operate(model, `${reason}:${reference}`, amountMicros, () =>
    db.transaction((tx) =>
      correctAccount(tx, model.accountId, { amountMicros, note: 'test', reference }, now()),
    ),
  )
}

async function operate(
  model: ModelAccount,
  reference: string,
  amountMicros: bigint,
  act: () => Promise<unknown>,
): Promise<void> {
  try {
    await act()
    note(model, reference, amountMicros)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'balance_insufficient') model.refused.push(-amountMicros)
    else assert.equal(error.code, 'reference_used')
  }
}

async function createCampaign(stage: Stage, model: ModelAccount): Promise<void> {
  const body = {
    brandId: model.brandId,
    usecase: 'MARKETING',
    description: 'Offers of the week for members of the coffee club',
    consentFlow: 'Members tick a box on the form at acme.example/club',
  }
  const reply = await stage.call(model, 'POST', '/v1/campaign/create', body, nextKey())
  if (isShort(reply, model, CREATION_FEE)) return
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  model.campaigns.push(reply.body.campaign.id)
  note(model, `campaign_creation:${reply.body.campaign.id}`, -CREATION_FEE)
}

async function buy(stage: Stage, model: ModelAccount, random: Random): Promise<void> {
  const campaignId = pick(model.campaigns, random)!
  const { number, priceMicros } = pick(stage.forSale, random)!
  const url = `/v1/campaign/${campaignId}/number/buy`
  const reply = await stage.call(model, 'POST', url, { number }, nextKey())
  if (isShort(reply, model, priceMicros)) return
  if (reply.status === 409) return // already bought, or the campaign is not ACTIVE
  if (reply.body.code === 'number_not_for_sale') return // being released
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  const { purchasedAt } = reply.body.number
  noteNumber(model, number, { campaignId, priceMicros })
  const [campaign] = await stage.db.query<{ approvedAt: Date; renewsAt: Date }>(sql`
    select approved_at as "approvedAt", renews_at as "renewsAt" from campaigns
    where account_id = ${model.accountId} and id = ${campaignId}`)
  const { approvedAt, renewsAt } = campaign!
  const reference = `number_purchase:${number}:${purchasedAt}`
  if (!stage.isClockMoving()) {
    const share = proratedMicros(priceMicros, approvedAt, new Date(purchasedAt))
    if (renewsAt > new Date(purchasedAt)) note(model, reference, -share)
    return
  }
  // The test does not know which month was paid at that time. The number is free if the month was not paid yet.
  const [row] = await stage.db.query<{ amount: bigint }>(sql`
    select amount_micros as amount from ledger_transfers
    where account_id = ${model.accountId} and reference = ${reference}`)
  assert.ok(!row || row.amount < priceMicros + CENT, 'at most the price, rounded up')
  if (row) note(model, reference, -row.amount)
}

async function release(stage: Stage, model: ModelAccount, random: Random): Promise<void> {
  const number = pick([...model.numbers.keys()], random)
  if (number === undefined) return
  model.numbers.delete(number)
  const reply = await stage.call(model, 'DELETE', `/v1/number/${number}`, undefined, nextKey())
  assert.ok(reply.status === 200 || reply.status === 404, JSON.stringify(reply.body))
}

interface Text {
  body: { campaign: string; to: string; body: string }
  priceMicros: bigint
}

function someText(model: ModelAccount, random: Random): Text {
  const length = 1 + random(700)
  const campaign = pick(model.campaigns, random)!
  return {
    body: { campaign, to: pick(RECIPIENTS, random)!, body: 'x'.repeat(length) },
    priceMicros: SEGMENT * BigInt(Math.ceil(length / 160)),
  }
}

async function send(stage: Stage, model: ModelAccount, random: Random): Promise<void> {
  const text = someText(model, random)
  const reply = await stage.call(model, 'POST', '/v1/message/send', text.body, nextKey())
  noteSent(model, text, reply)
}

async function sendTwiceWithOneKey(
  stage: Stage,
  model: ModelAccount,
  random: Random,
): Promise<void> {
  const text = someText(model, random)
  const key = nextKey()
  const replies = await Promise.all([
    stage.call(model, 'POST', '/v1/message/send', text.body, key),
    stage.call(model, 'POST', '/v1/message/send', text.body, key),
  ])
  const sent = new Map(replies.map((reply) => [reply.body.id ?? reply, reply]))
  const ids = [...sent.keys()].filter((id) => typeof id === 'string')
  // A key lasts a day, and the clock may move past that between the two requests.
  assert.ok(ids.length <= (stage.isClockMoving() ? 2 : 1), 'one key, one message')
  for (const reply of sent.values())
    if (ids.length === 0 || reply.status === 200) noteSent(model, text, reply)
}

async function sendBatch(stage: Stage, model: ModelAccount, random: Random): Promise<void> {
  const texts = Array.from({ length: 2 + random(6) }, () => someText(model, random))
  const body = { messages: texts.map((text) => text.body) }
  const reply = await stage.call(model, 'POST', '/v1/message/batch', body, nextKey())
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  reply.body.results.forEach((result: { success: boolean; code?: string }, i: number) => {
    const status = result.success ? 200 : result.code === 'balance_insufficient' ? 402 : 409
    noteSent(model, texts[i]!, { status, body: result })
  })
}

async function schedule(stage: Stage, model: ModelAccount, random: Random): Promise<void> {
  const text = someText(model, random)
  const scheduledAt = new Date(stage.now().getTime() + 3_600_000 * (1 + random(200)))
  const body = { ...text.body, scheduledAt: scheduledAt.toISOString() }
  const reply = await stage.call(model, 'POST', '/v1/message/send', body, nextKey())
  if (reply.status === 400) return // the clock moved past scheduledAt
  noteSent(model, text, reply)
  if (reply.status === 200) model.scheduled.push(reply.body.id)
}

async function cancel(stage: Stage, model: ModelAccount): Promise<void> {
  const id = model.scheduled.pop()
  if (id === undefined) return
  const reply = await stage.call(model, 'DELETE', `/v1/message/${id}`, undefined, nextKey())
  assert.ok(reply.status === 200 || reply.status === 409, JSON.stringify(reply.body))
}

function noteSent(model: ModelAccount, { priceMicros }: Text, reply: Answer): void {
  if (isShort(reply, model, priceMicros)) return
  if (reply.status === 409) return // the campaign is not ACTIVE, or has no number
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  note(model, reply.body.id, -priceMicros)
  model.open.set(reply.body.id, priceMicros)
}

function isShort(reply: Answer, model: ModelAccount, priceMicros: bigint): boolean {
  if (reply.status !== 402) return false
  model.refused.push(priceMicros)
  return true
}
