// The connection to a provider is cut at every point of a request and of its response, under load. No message is sent
// twice. Messages that the provider accepted end as DELIVERED, even if the response was lost. Messages it never
// received completely are sent again if its message list proves that, and refunded otherwise.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually, thorough } from '../harness.js'
import {
  type ProviderKind,
  type ProviderService,
  providerService,
} from '../providers/provider-service.js'
import { SMS_PRICE } from '../sending.js'
import { type Cut, type CuttingProxy, startCuttingProxy } from './cutting-proxy.js'

/** A thorough run makes 40 cuts. */
const MORE = Array.from({ length: thorough(0, 11) }, (_, i) => (i + 0.5) / 11)
const SHARES = [0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1, ...MORE]
/** Requests without a cut after each cut. */
const UNCUT = 4

const CUTS: Cut[] = SHARES.flatMap((share): Cut[] => [
  { within: 'request', share },
  { within: 'response', share },
])
const PLAN = CUTS.flatMap((cut) => [cut, ...Array.from({ length: UNCUT }, () => null)])
const MESSAGES = PLAN.length + 10
const SENDERS = 8
/** Few messages per recipient, because the provider's list for a recipient must fit on one page. */
const RECIPIENTS = 5

interface Stage extends ProviderService {
  proxy: CuttingProxy
}

async function openStage(t: TestContext, kind: ProviderKind, more: string): Promise<Stage> {
  const proxy: { current: CuttingProxy | null } = { current: null }
  const stage = await providerService(t, kind, more, async (url) => {
    proxy.current = await startCuttingProxy(t, url)
    return proxy.current.url
  })
  return { ...stage, proxy: proxy.current! }
}

/** Sends all messages, several at once, and returns their ids and texts. */
async function sendAll({ send }: Stage): Promise<Map<string, string>> {
  const accepted = new Map<string, string>()
  let next = 0
  const sender = async () => {
    while (next < MESSAGES) {
      next += 1
      const body = `No. ${String(next).padStart(3, '0')}` // no text is part of another
      const to = `+1415555200${next % RECIPIENTS}`
      accepted.set(await send({ to, body }), body)
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, () => sender()))
  return accepted
}

interface Outcome {
  status: string
  kinds: string[]
  text: string
  taken: number
}

async function outcomesOf(stage: Stage, accepted: Map<string, string>): Promise<Outcome[]> {
  const rows = await stage.service.world.db.query<{
    id: string
    status: string
    timeline: string[]
  }>(sql`
    select id, status, timeline from messages where id = any (${[...accepted.keys()]}::text[])`)
  return rows.map(({ id, status, timeline }) => {
    const text = accepted.get(id)!
    const taken = stage.fake.taken.filter((one) => one.text === text).length
    return { status, kinds: timeline.map((entry) => entry.split('|')[1]!), text, taken }
  })
}

/** Moves the clock until unknown outcomes are settled. */
async function ended(stage: Stage, accepted: Map<string, string>): Promise<Outcome[]> {
  const isOver = ({ status, kinds, taken }: Outcome) =>
    status === 'DELIVERED' || (status === 'SENT' && taken === 0 && kinds.includes('settled'))
  return eventually(async () => {
    const outcomes = await outcomesOf(stage, accepted)
    if (outcomes.every(isOver)) return outcomes
    await stage.advance(5)
    return null
  }, 'a final status of every message')
}

/** Only messages that arrived are charged. */
async function assertCharged({ service }: Stage, outcomes: readonly Outcome[]): Promise<void> {
  const [row] = await service.world.db.query<{ spent: number }>(sql`
    select messages_micros::float8 as spent from account_ledgers
    where account_id = ${service.accountId}`)
  const arrived = outcomes.filter(({ taken }) => taken > 0).length
  assert.equal(row!.spent, Math.round(arrived * SMS_PRICE * 1_000_000))
}

async function cutEverywhere(t: TestContext, kind: ProviderKind, more: string): Promise<Outcome[]> {
  const stage = await openStage(t, kind, `    settleSeconds: 3\n${more}`)
  stage.proxy.plan.push(...PLAN)
  const accepted = await sendAll(stage)
  const outcomes = await ended(stage, accepted)
  assert.equal(outcomes.length, MESSAGES)
  assert.equal(stage.proxy.cuts, CUTS.length, 'every cut was made')
  await assertCharged(stage, outcomes)
  const count = (test: (outcome: Outcome) => boolean) => outcomes.filter(test).length
  const summary = {
    accepted: outcomes.length,
    unknown: count(({ kinds }) => kinds.includes('unknown')),
    delivered: count(({ status }) => status === 'DELIVERED'),
    'never arrived': count(({ taken }) => taken === 0),
    'arrived and not DELIVERED': count((one) => one.taken > 0 && one.status !== 'DELIVERED'),
    'sent twice': count(({ taken }) => taken > 1),
  }
  t.diagnostic(JSON.stringify({ kind, cuts: CUTS.length, ...summary }))
  return outcomes
}

for (const kind of ['telnyx', 'bandwidth', 'twilio'] as const) {
  test(`${kind}: requests cut at any point send nothing twice, and every message ends with its true status`, async (t) => {
    for (const { text, taken, status, kinds } of await cutEverywhere(t, kind, '')) {
      assert.ok(taken <= 1, `${text} was accepted ${taken} times`)
      assert.equal(status === 'DELIVERED', taken === 1, text)
      if (taken === 0) assert.ok(kinds.includes('unknown') && kinds.includes('settled'), text)
      if (kind === 'twilio') assert.equal(taken, 1, `${text} was found missing, and sent again`)
    }
  })
}

test('a link with unknown: resend delivers every message and duplicates only those whose outcome was unknown', async (t) => {
  for (const { text, taken, kinds } of await cutEverywhere(t, 'twilio', '    unknown: resend\n')) {
    assert.ok(taken >= 1, `${text} arrived`)
    const repeats = kinds.filter((one) => one === 'repeated').length
    assert.ok(taken <= 1 + repeats, `${text} was accepted ${taken} times, repeated ${repeats}`)
  }
})
