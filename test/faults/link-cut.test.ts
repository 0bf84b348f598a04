// The link to the carrier is cut under load, in every way there is, again and again: the SMSC dies and comes back, it
// stands still, the network forgets the connection, our own process dies. Every message that the carrier took is
// DELIVERED and charged once, also where its response was lost. What it never got is refunded. None goes out twice,
// unless nothing was heard of it and the link may send it again.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { eventually, thorough } from '../harness.js'
import { untilTrue } from '../peers/peer-process.js'
import { openStage, type Stage, startLoad, WINDOW } from './link-cut-stage.js'

/** Between two cuts. */
const TAKEN_BETWEEN = 10
/** Ends every lease of a process that has died. */
const LEASE_SECONDS = 70

const CUTS: Record<string, (stage: Stage) => Promise<void>> = {
  'the SMSC killed': (stage) => stage.restartSmsc(),
  'the SMSC frozen': async ({ smsc, proxy }) => {
    const { count } = proxy
    smsc.child.kill('SIGSTOP')
    await untilTrue(
      () => proxy.count > count,
      () => 'another connection than the frozen one',
    )
    smsc.child.kill('SIGCONT')
  },
  'the connection half open': async ({ proxy }) => {
    const { count } = proxy
    proxy.halfOpen()
    await untilTrue(
      () => proxy.count > count,
      () => 'another connection than the dead one',
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

/** Cuts the link so often, in turns, and sees everything to its end. */
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

/** Once each, however often it was tried, and in the end for what arrived only. */
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
    () => taken().size >= before + TAKEN_BETWEEN,
    () => 'messages at the SMSC',
  )
}

/** Time passes: leases of the dead end, unknown outcomes are settled. */
async function settled(stage: Stage): Promise<Outcome[]> {
  const { service, accepted, taken } = stage
  const ids = [...accepted.keys()]
  const look = async () => {
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
    const outcomes = await look()
    if (outcomes.length === ids.length && outcomes.every(isFinal)) return outcomes
    const { status } = await service.post('/sandbox/clock/advance', { seconds: LEASE_SECONDS })
    assert.equal(status, 200)
    return null
  }, 'an end of every message')
}

/** Counted as sent is an end only for what the carrier never got. */
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

test('cut again and again under load, the link sends nothing twice, and every message comes to an end that is true', async (t) => {
  const cuts = thorough(10, 60)
  const outcomes = await cutLink(t, cuts, 'settle')
  t.diagnostic(JSON.stringify(summary(outcomes)))
  const gone = outcomes.filter(({ taken }) => taken === 0).length
  // What was handed over when it was cut: a window on its way, and one to follow.
  assert.ok(gone <= 2 * cuts * WINDOW, `${gone} never arrived, more than were handed over`)
  for (const { status, text, taken } of outcomes) {
    assert.ok(taken <= 1, `${text} was taken ${taken} times`)
    assert.equal(status === 'DELIVERED', taken === 1, text)
  }
})

test('where the link may send again what nothing is heard of, no other message arrives twice', async (t) => {
  const outcomes = await cutLink(t, thorough(4, 20), 'resend')
  t.diagnostic(JSON.stringify(summary(outcomes)))
  for (const { status, text, taken, timeline } of outcomes) {
    // Refunded where too few receipts had arrived to take silence for anything.
    assert.equal(status === 'DELIVERED', taken >= 1, text)
    const repeats = timeline.filter((kind) => kind === 'repeated').length
    assert.ok(taken <= 1 + repeats, `${text} was taken ${taken} times, repeated ${repeats}`)
  }
})
