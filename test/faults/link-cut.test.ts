// The link to the carrier is cut under load, in every way there is, again and again: the SMSC dies and comes back, it
// stands still, the network forgets the connection, our own process dies. Every message that was accepted comes
// to an end and is charged once; none goes out twice, unless its outcome was unknown and the link may repeat it; and
// none that the carrier did not get is called delivered.

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
async function cutLink(t: TestContext, cuts: number, repeatUnknown: boolean): Promise<Outcome[]> {
  const stage = await openStage(t, repeatUnknown)
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
  await assertCharged(stage)
  return outcomes
}

/** Once each, however often it was tried. */
async function assertCharged({ service, accepted }: Stage): Promise<void> {
  const [charged] = await service.world.db.query<{ count: number }>(sql`
    select count(*)::int as count from ledger_entries where reason = 'message'`)
  assert.equal(charged!.count, accepted.size)
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

/** Taken as sent is an end only where nobody knows whether it was. */
function isFinal({ status, timeline }: Outcome): boolean {
  return status === 'DELIVERED' || (status === 'SENT' && timeline.includes('settled'))
}

function summary(outcomes: readonly Outcome[]) {
  const count = (isMeant: (outcome: Outcome) => boolean) => outcomes.filter(isMeant).length
  return {
    accepted: outcomes.length,
    delivered: count(({ status }) => status === 'DELIVERED'),
    'unknown, taken as sent': count(({ status }) => status === 'SENT'),
    'of these at the SMSC': count(({ status, taken }) => status === 'SENT' && taken > 0),
    repeated: count(({ timeline }) => timeline.includes('repeated')),
    'twice at the SMSC': count(({ taken }) => taken > 1),
  }
}

test('cut again and again under load, the link sends nothing twice, and every message comes to an end that is true', async (t) => {
  const cuts = thorough(10, 60)
  const outcomes = await cutLink(t, cuts, false)
  t.diagnostic(JSON.stringify(summary(outcomes)))
  const gone = outcomes.filter(({ taken }) => taken === 0).length
  // What was handed over when it was cut: a window on its way, and one to follow.
  assert.ok(gone <= 2 * cuts * WINDOW, `${gone} never arrived, more than were handed over`)
  for (const { status, text, taken } of outcomes) {
    assert.ok(taken <= 1, `${text} was taken ${taken} times`)
    if (status === 'DELIVERED') assert.equal(taken, 1, text)
  }
})

test('where the link may repeat what is unknown, every message arrives, and no other one twice', async (t) => {
  const outcomes = await cutLink(t, thorough(4, 20), true)
  t.diagnostic(JSON.stringify(summary(outcomes)))
  for (const { status, text, taken, timeline } of outcomes) {
    assert.equal(status, 'DELIVERED', text)
    assert.ok(taken >= 1, text)
    const repeats = timeline.filter((kind) => kind === 'repeated').length
    assert.ok(taken <= 1 + repeats, `${text} was taken ${taken} times, repeated ${repeats}`)
  }
})
