// A link with `shared: true`: several processes together keep its rate, counted at the carrier, and a share comes
// back when its process is gone.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LinkShare, type SharedRate } from '../../src/carriers/link-shares.js'
import { createSmppLink } from '../../src/carriers/smpp/smpp-link.js'
import { Clock } from '../../src/kit/clock.js'
import { openLog } from '../../src/kit/log.js'
import { Metrics } from '../../src/kit/metrics.js'
import { type Database, openDatabase } from '../../src/kit/postgres/db.js'
import { cloneDatabase } from '../harness.js'
import { linkSettings, submission } from '../smpp-fixtures.js'
import { startPeer, type TestPeer } from '../smpp-peer.js'
import { until } from '../until.js'

const PER_SECOND = 20

async function openTestDatabase(t: TestContext): Promise<Database> {
  const { url, drop } = await cloneDatabase()
  const db = openDatabase({ url, poolMax: 6, applicationName: 'test', onError: () => {} })
  t.after(async () => {
    await db.end()
    await drop()
  })
  return db
}

/** The link in one process. */
async function startProcess(t: TestContext, db: Database, peer: TestPeer) {
  const settings = linkSettings({
    port: peer.port,
    perSecond: PER_SECOND,
    shared: true,
    window: 50,
  })
  const deps = { clock: new Clock(), log: openLog('silent'), metrics: new Metrics(), db }
  const link = createSmppLink(settings, deps)
  await link.start({
    receipt: async () => {},
    inbound: async () => ({ messageId: 'msg_in' }),
    lateAnswer: async () => {},
  })
  t.after(() => link.stop())
  await until(() => link.isUp!(), 'the bind')
  return link
}

function mostInSecond(arrivals: readonly number[]): number {
  return Math.max(
    ...arrivals.map((at) => arrivals.filter((b) => b >= at && b <= at + 1_000).length),
  )
}

test('two processes stay within the rate of a shared link, as counted by the carrier', async (t) => {
  const db = await openTestDatabase(t)
  const peer = await startPeer(t)
  const arrivals: { at: number; bind: object }[] = []
  peer.onSubmit = (bind, pdu) => {
    arrivals.push({ at: performance.now(), bind })
    bind.take(pdu, `id-${arrivals.length}`)
  }
  const links = [await startProcess(t, db, peer), await startProcess(t, db, peer)]
  const sendAll = async (link: (typeof links)[number]) => {
    for (let sent = 0; sent < 60; ) {
      const answers = await link.submit(Array.from({ length: 10 }, () => submission()))
      sent += answers.filter(({ kind }) => kind === 'sent').length
    }
  }
  await Promise.all(links.map(sendAll))
  assert.equal(arrivals.length, 120)
  assert.equal(new Set(arrivals.map(({ bind }) => bind)).size, 2, 'both had a share')
  assert.ok(mostInSecond(arrivals.map(({ at }) => at)) <= PER_SECOND)
})

/** A process that always requests the whole rate. */
class Hungry implements SharedRate {
  share = 0
  isHungry = true
  /** Requests that may still arrive. */
  late = 0
  demand() {
    return { perSecond: 0, isLimited: this.isHungry }
  }
  recent() {
    return this.late
  }
  setShare(perSecond: number) {
    this.share = perSecond
  }
}

test('a share that is not renewed is returned, and an unused share goes to the other process', async (t) => {
  const db = await openTestDatabase(t)
  const world = { db, clock: new Clock(), log: openLog('silent') }
  const [one, two] = [new Hungry(), new Hungry()]
  const shareOf = (process: string, rate: Hungry) =>
    new LinkShare(world, { link: 'a', perSecond: PER_SECOND, process }, rate)
  const [first, second] = [shareOf('one', one), shareOf('two', two)]
  await first.renew()
  assert.equal(one.share, PER_SECOND)
  await second.renew()
  assert.equal(two.share, 0, 'the first has it all, and may have used it')
  const renewUntil = async (isDone: () => boolean, what: string, ...alive: LinkShare[]) => {
    let isOver = false
    const renewing = (async () => {
      while (!isOver) {
        for (const share of alive) await share.renew()
        await new Promise((resolve) => setTimeout(resolve, 20))
        assert.ok(one.share + two.share <= PER_SECOND)
      }
    })()
    await until(isDone, what)
    isOver = true
    await renewing
  }
  const isEven = () => one.share === PER_SECOND / 2 && two.share === PER_SECOND / 2
  await renewUntil(isEven, 'equal shares', first, second)
  two.isHungry = false
  await renewUntil(() => one.share === PER_SECOND - 1, 'the rest', first, second)
  // The second process dies. Its share comes back when its lease has ended.
  two.share = 0
  await renewUntil(() => one.share === PER_SECOND, 'all of it', first)
})

test('no other process uses a share while requests that left under it may still arrive', async (t) => {
  const db = await openTestDatabase(t)
  const world = { db, clock: new Clock(), log: openLog('silent') }
  const [one, two] = [new Hungry(), new Hungry()]
  const shareOf = (process: string, rate: Hungry) =>
    new LinkShare(world, { link: 'a', perSecond: PER_SECOND, process }, rate)
  const [first, second] = [shareOf('one', one), shareOf('two', two)]
  await first.renew()
  one.late = PER_SECOND
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await second.renew()
    await first.renew()
  }
  assert.equal(one.share, PER_SECOND / 2, 'the first leaves one half')
  assert.equal(two.share, 0, 'its requests may still arrive')
  one.late = 0
  const isEven = async () => {
    await first.renew()
    await second.renew()
    return two.share === PER_SECOND / 2
  }
  for (let i = 0; !(await isEven()) && i < 600; i++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.equal(two.share, PER_SECOND / 2)
})
