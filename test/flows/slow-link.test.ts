// A lane behind a slow link: what the limit allows leaves as fast as the link carries it, and never more than the
// limit, by the carrier's clock. The test moves time second by second.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { permitFor, type Submission, type SubmitAnswer } from '../../src/messages/carrier-port.js'
import { partsOf } from '../../src/messages/lane.js'
import { type FakeCarrier, fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually } from '../harness.js'
import { ATT, changeCampaign, type Sending, sendingService, VZW } from '../sending.js'

const PER_SECOND = 20

interface Arrival {
  campaignId: string
  atMs: number
  parts: number
}

/** A link that sends a fixed number of parts each time the test lets a second pass. */
interface PacedLink extends FakeCarrier {
  arrivals: Arrival[]
  waiting: () => number
  /** Carries what waits, at most this many parts. */
  carry: (parts: number) => Promise<void>
}

function pacedLink(nowMs: () => number): PacedLink {
  const queue: { submission: Submission; resolve: (answer: SubmitAnswer) => void }[] = []
  const arrivals: Arrival[] = []
  let credit = 0
  const link = fakeCarrier()
  const carryOne = async ({ submission, resolve }: (typeof queue)[number]) => {
    const permit = await permitFor(submission, 'paced')
    if (permit === null) return resolve({ kind: 'window_missed' })
    assert.ok(nowMs() <= permit.untilMs)
    const parts = partsOf(submission)
    arrivals.push({ campaignId: submission.campaignId, atMs: nowMs(), parts })
    resolve({ kind: 'sent' })
  }
  return {
    ...link,
    arrivals,
    capacityOf: () => 2 * PER_SECOND,
    submit: (submissions) =>
      Promise.all(
        submissions.map(
          (submission) =>
            new Promise<SubmitAnswer>((resolve) => {
              if (link.isUp?.() === false) resolve({ kind: 'down' })
              else queue.push({ submission, resolve })
            }),
        ),
      ),
    waiting: () => queue.length,
    goDown: () => {
      link.goDown()
      for (const { resolve } of queue.splice(0)) resolve({ kind: 'down' })
    },
    carry: async (parts) => {
      credit = Math.min(credit, 0) + parts
      const leaving = []
      while (credit > 0 && queue.length > 0) {
        const next = queue.shift()!
        credit -= partsOf(next.submission)
        leaving.push(carryOne(next))
      }
      await Promise.all(leaving)
    },
  }
}

async function batchOf({ service }: Sending, campaign: string, count: number, input: object) {
  for (let left = count; left > 0; left -= 1000) {
    const messages = Array.from({ length: Math.min(left, 1000) }, () => ({ campaign, ...input }))
    const { body } = await service.post('/v1/message/batch', { messages })
    assert.ok(body.results.every((result: { success: boolean }) => result.success))
  }
}

interface Stage {
  sending: Sending
  links: PacedLink[]
  /** Lets one second pass, and the links carry as much as they can in it. */
  second: () => Promise<void>
}

async function stage(t: TestContext, processes = 1): Promise<Stage> {
  const sending = await sendingService(t)
  const { clock } = sending.service.world
  await changeCampaign(sending.service, sending.campaignId, { smsTpmAtt: 240 })
  const links = Array.from({ length: processes }, () => pacedLink(() => clock.nowMs()))
  for (const link of links) fakeRoom(sending.service.world, link).run()
  const second = async () => {
    for (const link of links) {
      await filled(sending, link)
      await link.carry(PER_SECOND / processes)
    }
    await sending.advance(1)
  }
  return { sending, links, second }
}

/** Until the link has enough for a second, or nothing more can come. */
async function filled({ service }: Sending, link: PacedLink): Promise<void> {
  const { db, clock } = service.world
  await eventually(async () => {
    if (link.waiting() >= PER_SECOND || link.isUp?.() === false) return true
    const now = clock.now()
    const due = await db.query(sql`
      select 1 from lanes where next_due_at <= ${new Date(now.getTime() + 300)} limit 1`)
    return due.length === 0
  }, 'what the link can carry')
}

const arrivedOf = ({ links }: Stage, campaignId: string) =>
  links.flatMap(({ arrivals }) => arrivals).filter((arrival) => arrival.campaignId === campaignId)

const partsIn = (arrivals: readonly Arrival[]) =>
  arrivals.reduce((sum, { parts }) => sum + parts, 0)

function mostInMinute(arrivals: readonly Arrival[]): number {
  const within = ({ atMs: fromMs }: Arrival) =>
    partsIn(arrivals.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 60_000))
  return Math.max(0, ...arrivals.map(within))
}

/** How many seconds pass until this number of the campaign's parts has left. */
async function secondsFor(on: Stage, parts: number, max: number): Promise<number> {
  const { campaignId } = on.sending
  for (let seconds = 1; seconds <= max; seconds += 1) {
    await on.second()
    if (partsIn(arrivedOf(on, campaignId)) >= parts) return seconds
  }
  assert.fail(`${partsIn(arrivedOf(on, campaignId))} of ${parts} parts left in ${max} s`)
}

function assertWithinLimit(on: Stage, limit: number): void {
  const most = mostInMinute(arrivedOf(on, on.sending.campaignId))
  assert.ok(most <= limit, `${most} parts in 60 s, with a limit of ${limit}`)
}

test('240 messages at 20 per second leave in 12 seconds, and the next minute brings the next 240', async (t) => {
  const on = await stage(t)
  await batchOf(on.sending, on.sending.campaignId, 480, { to: ATT, body: 'Hello' })
  assert.ok((await secondsFor(on, 240, 14)) <= 13)
  assert.ok((await secondsFor(on, 480, 70)) <= 64)
  assertWithinLimit(on, 240)
})

test('messages of three parts use three parts of the limit each', async (t) => {
  const on = await stage(t)
  await batchOf(on.sending, on.sending.campaignId, 100, { to: ATT, body: 'x'.repeat(310) })
  assert.ok((await secondsFor(on, 240, 16)) <= 14)
  for (let i = 0; i < 10; i += 1) await on.second()
  assertWithinLimit(on, 240)
})

test('a lane behind a busy link gets its turn: half of the link with one other campaign', async (t) => {
  const on = await stage(t)
  const other = await activeCampaign(on.sending.service)
  await buyNumber(on.sending.service, other.campaignId)
  await batchOf(on.sending, other.campaignId, 2_000, { to: VZW, body: 'Hello' })
  await batchOf(on.sending, on.sending.campaignId, 200, { to: ATT, body: 'Hello' })
  // The lanes of one account take turns: 10 of 20 per second, after what the link already had.
  await secondsFor(on, 200, 40)
  assertWithinLimit(on, 240)
})

test('a link that drops costs no more than its downtime', async (t) => {
  const on = await stage(t)
  await batchOf(on.sending, on.sending.campaignId, 240, { to: ATT, body: 'Hello' })
  assert.ok((await secondsFor(on, 100, 7)) <= 6)
  for (const link of on.links) link.goDown()
  for (let i = 0; i < 5; i += 1) await on.sending.advance(1)
  for (const link of on.links) link.comeUp()
  assert.ok((await secondsFor(on, 240, 12)) <= 9)
  assertWithinLimit(on, 240)
})

test('two processes share the limit, and each link carries its half', async (t) => {
  const on = await stage(t, 2)
  await batchOf(on.sending, on.sending.campaignId, 300, { to: ATT, body: 'Hello' })
  assert.ok((await secondsFor(on, 240, 18)) <= 14)
  for (let i = 0; i < 10; i += 1) await on.second()
  assertWithinLimit(on, 240)
})
