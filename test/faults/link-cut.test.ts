// The link to the carrier is cut under load, repeatedly and in every way: the SMSC dies and restarts, it freezes, the
// network drops the connection, or our own process dies. Every message that the carrier accepted is DELIVERED and
// charged once, even if its response was lost. Messages it never received are refunded. None is sent twice, unless its
// outcome is unknown and the link may send it again.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually, thorough } from '../harness.js'
import { untilTrue } from '../peers/peer-process.js'
import { openStage, type Stage, startLoad, WINDOW } from './link-cut-stage.js'

/** Accepted messages between two cuts. */
const ACCEPTED_BETWEEN = 10
/** Ends every lease of a process that has died. */
const LEASE_SECONDS = 70

const CUTS: Record<string, (stage: Stage) => Promise<void>> = {
  'the SMSC killed': (stage) => stage.restartSmsc(),
  'the SMSC frozen': async ({ smsc, proxy }) => {
    const { count } = proxy
    smsc.child.kill('SIGSTOP')
    await untilTrue(
      () => proxy.count > count,
      () => 'a new connection in place of the frozen one',
    )
    smsc.child.kill('SIGCONT')
  },
  'the connection half open': async ({ proxy }) => {
    const { count } = proxy
    proxy.halfOpen()
    await untilTrue(
      () => proxy.count > count,
      () => 'a new connection in place of the dead one',
    )
  },
  'our process killed': (stage) => stage.restartNode(),
}

interface Outcome {
  status: string
  timeline: string[]
  text: string
  taken: number
}

/** Cuts the link the given number of times, in each way in turn, and waits until every message is final. */
async function cutLink(
  t: TestContext,
  cuts: number,
  unknown: 'settle' | 'resend',
): Promise<Outcome[]> {
  const stage = await openStage(t, unknown)
  const endLoad = startLoad(t, stage)
  for (let i = 0; i < cuts; i++) {
    await untilFlowing(stage)
    const [name, cut] = Object.entries(CUTS)[i % Object.keys(CUTS).length]!
    await cut(stage)
    t.diagnostic(`cut ${i + 1}: ${name}; ${stage.accepted.size} accepted`)
  }
  await untilFlowing(stage)
  await endLoad()
  const outcomes = await settled(stage)
  await assertCharged(stage, outcomes)
  return outcomes
}

/** Each message is charged once, however often it was attempted, and only messages that arrived stay charged. */
async function assertCharged({ service }: Stage, outcomes: readonly Outcome[]): Promise<void> {
  const rows = await service.world.db.query<{ reason: string; count: number }>(sql`
    select reason, count(*)::int as count from ledger_entries where reason like 'message%' group by 1`)
  const counts = new Map(rows.map(({ reason, count }) => [reason, count]))
  const of = (reason: string) => counts.get(reason) ?? 0
  assert.equal(of('message'), outcomes.length)
  const delivered = outcomes.filter(({ status }) => status === 'DELIVERED').length
  assert.equal(of('message') - of('message_refund') + of('message_recharge'), delivered)
}

async function untilFlowing({ taken }: Stage): Promise<void> {
  const before = taken().size
  await untilTrue(
    () => taken().size >= before + ACCEPTED_BETWEEN,
    () => 'messages at the SMSC',
  )
}

/** Moves the clock until the leases of dead processes end and unknown outcomes are settled. */
async function settled(stage: Stage): Promise<Outcome[]> {
  const { service, accepted, taken } = stage
  const ids = [...accepted.keys()]
  const readOutcomes = async () => {
    const rows = await service.world.db.query<{
      id: string
      status: string
      timeline: string[]
    }>(sql`
      select id, status, timeline from messages where id = any (${ids}::text[])`)
    const counts = taken()
    return rows.map(({ id, status, timeline }) => {
      const text = accepted.get(id)!
      const kinds = timeline.map((entry) => entry.split('|')[1]!)
      return { status, timeline: kinds, text, taken: counts.get(text) ?? 0 }
    })
  }
  return eventually(async () => {
    const outcomes = await readOutcomes()
    if (outcomes.length === ids.length && outcomes.every(isFinal)) return outcomes
    const { status } = await service.post('/sandbox/clock/advance', { seconds: LEASE_SECONDS })
    assert.equal(status, 200)
    return null
  }, 'a final status of every message')
}

/** SENT is final only if the carrier never received the message. */
function isFinal({ status, timeline, taken }: Outcome): boolean {
  return (
    status === 'DELIVERED' || (status === 'SENT' && taken === 0 && timeline.includes('settled'))
  )
}

function summary(outcomes: readonly Outcome[]) {
  const count = (isMeant: (outcome: Outcome) => boolean) => outcomes.filter(isMeant).length
  return {
    accepted: outcomes.length,
    delivered: count(({ status }) => status === 'DELIVERED'),
    'never arrived, refunded': count(({ status }) => status === 'SENT'),
    'receipts matched': count(({ timeline }) => timeline.includes('matched')),
    'charged again': count(({ timeline }) => timeline.includes('recharged')),
    repeated: count(({ timeline }) => timeline.includes('repeated')),
    'twice at the SMSC': count(({ taken }) => taken > 1),
  }
}

test('a link that is cut repeatedly under load sends nothing twice, and every message ends with its true status', async (t) => {
  const cuts = thorough(10, 60)
  const outcomes = await cutLink(t, cuts, 'settle')
  t.diagnostic(JSON.stringify(summary(outcomes)))
  const gone = outcomes.filter(({ taken }) => taken === 0).length
  // At each cut at most two windows are lost: one in flight and one waiting.
  assert.ok(gone <= 2 * cuts * WINDOW, `${gone} never arrived, more than were in flight`)
  for (const { status, text, taken } of outcomes) {
    assert.ok(taken <= 1, `${text} was accepted ${taken} times`)
    assert.equal(status === 'DELIVERED', taken === 1, text)
  }
})

test('a link with unknown: resend duplicates only messages whose outcome was unknown', async (t) => {
  const outcomes = await cutLink(t, thorough(4, 20), 'resend')
  t.diagnostic(JSON.stringify(summary(outcomes)))
  for (const { status, text, taken, timeline } of outcomes) {
    // Refunded if too few receipts had arrived to draw a conclusion from a missing one.
    assert.equal(status === 'DELIVERED', taken >= 1, text)
    const repeats = timeline.filter((kind) => kind === 'repeated').length
    assert.ok(taken <= 1 + repeats, `${text} was accepted ${taken} times, repeated ${repeats}`)
  }
})
