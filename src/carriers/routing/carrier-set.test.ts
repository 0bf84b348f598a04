// Several links behind one port: failover and failback, how one link's response affects the next link, reloads in
// progress, and looked-up networks. Links and database are fakes.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/until.js'
import { Clock } from '../../kit/clock.js'
import { Hints } from '../../kit/hints.js'
import { Metrics } from '../../kit/metrics.js'
import { BadSetting } from '../../kit/settings/setting-reader.js'
import type {
  Carrier,
  CarrierListener,
  Submission,
  SubmitAnswer,
} from '../../messages/carrier-port.js'
import { LinkMeters } from '../link-meter.js'
import type { CarrierSettings, LinkSettings, RouteSettings } from '../settings/carrier-settings.js'
import { type CarrierSetDeps, createCarrierSet } from './carrier-set.js'

const SENT: SubmitAnswer = { kind: 'sent', carrierIds: ['1'] }

/** A link that the test controls. */
class FakeLink {
  isUp = true
  answer: (submission: Submission) => SubmitAnswer | Promise<SubmitAnswer> = () => SENT
  readonly taken: string[] = []
  readonly happened: string[] = []
  listener: CarrierListener | null = null
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  carrier(): Carrier {
    return {
      name: this.name,
      networkOf: () => null,
      isUp: () => this.isUp,
      submit: async (submissions) => {
        this.taken.push(...submissions.map(({ id }) => id))
        return Promise.all(submissions.map((submission) => this.answer(submission)))
      },
      afterUnknown: () => ({ waitMs: 7, mayRepeat: true }),
      query: async () => ({ kind: 'sent', carrierIds: [this.name] }),
      callback: async (link) => ({ status: 200, body: link }),
      start: async (listener) => {
        this.listener = listener
        this.happened.push('started')
      },
      stop: async () => void this.happened.push('stopped'),
    }
  }
}

function linkOf(fake: FakeLink, more: Partial<LinkSettings> = {}, version = 1): LinkSettings {
  return {
    name: fake.name,
    kind: 'fake',
    isConnected: true,
    mayOverlap: false,
    drainMs: 0,
    failbackMs: 0,
    hostsStock: null,
    settings: { version },
    create: () => fake.carrier(),
    ...more,
  }
}

function routeTo(links: string[], more: Partial<RouteSettings> = {}): RouteSettings {
  const any = { networks: null, prefixes: null, campaigns: null, types: null }
  const shares = links.map((link) => ({ link, share: 1 }))
  return { name: 'r', ...any, links: shares, failover: [], onSlowDown: 'wait', ...more }
}

function settingsOf(links: LinkSettings[], routes: RouteSettings[]): CarrierSettings {
  const networks = { prefixes: new Map([['+1415', 'att' as const]]), learnedMs: 30 * 86_400_000 }
  return { links, routes, networks, warnings: [] }
}

function submission(messageId: string, more: Partial<Submission> = {}): Submission {
  const of = { accountId: 'acc_1', id: messageId, campaignId: 'cmp_1', type: 'SMS' as const }
  const content = { from: '+12125550100', to: '+13105550107', body: 'Hello', mediaUrls: [] }
  return { ...of, ...content, attempt: 1, expiresAt: new Date(0), ...more }
}

const NOBODY = { receipt: async () => {}, lateAnswer: async () => {} }
const LISTENER: CarrierListener = { ...NOBODY, inbound: async () => ({ messageId: null }) }

async function stage(
  t: TestContext,
  first: CarrierSettings,
  {
    rows = [] as object[],
    recent = [] as object[],
    hosted = {} as { link?: string | null; hosts?: string[] | null },
    isDispatching = true,
    listener = LISTENER,
  } = {},
) {
  const clock = new Clock()
  const statements: { text: string; values: unknown[] }[] = []
  const db = {
    query: async (statement: { text: string; values: unknown[] }) => {
      statements.push(statement)
      if (statement.text.includes('order by seen_at')) return recent
      if (statement.text.includes('from number_inventory')) {
        const asked = statement.values[0] as string[]
        return asked.map((phoneNumber) => ({ phoneNumber, link: null, hosts: null, ...hosted }))
      }
      return statement.text.includes('from number_lookup_cache') ? rows : []
    },
  }
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const world = { db, clock, log, metrics: new Metrics(), hints: new Hints() }
  let next: () => CarrierSettings = () => first
  const deps = { world, meters: new LinkMeters(world), read: () => next(), isDispatching }
  const set = createCarrierSet(deps as unknown as CarrierSetDeps, first)
  t.after(() => set.stop())
  await set.start(listener)
  await set.prepare?.(submission('0').from) // as the caller of submit does
  const reloadWith = (read: () => CarrierSettings) => {
    next = read
    return set.reload()
  }
  const send = (...ids: string[]) => set.submit(ids.map((id) => submission(id)))
  return { set, send, reloadWith, statements, clock }
}

test('a message is sent over the link of its route, and the result names the link', async (t) => {
  const [a, b] = [new FakeLink('a'), new FakeLink('b')]
  const routes = [routeTo(['b'], { prefixes: ['+1310'] }), routeTo(['a'])]
  const { set } = await stage(t, settingsOf([linkOf(a), linkOf(b)], routes))
  const batch = [submission('1', { to: '+14155550107' }), submission('2'), submission('3')]
  const answers = await set.submit(batch)
  assert.deepEqual(answers, [
    { ...SENT, link: 'a' },
    { ...SENT, link: 'b' },
    { ...SENT, link: 'b' },
  ])
  assert.deepEqual([a.taken, b.taken], [['1'], ['2', '3']])
})

test('messages are grouped by link, so none waits for another link', async (t) => {
  const [a, b] = [new FakeLink('a'), new FakeLink('b')]
  const routes = [
    routeTo(['b'], { prefixes: ['+1310'] }),
    routeTo(['a'], { failover: ['b'], types: ['SMS'] }),
  ]
  const { set } = await stage(t, settingsOf([linkOf(a), linkOf(b)], routes))
  const groupOf = (more: Partial<Submission>) => set.groupOf!(submission('1', more))
  assert.deepEqual([groupOf({}), groupOf({ to: '+14155550107' })], ['b', 'a'])
  assert.equal(groupOf({ to: '+14155550107', type: 'MMS' }), '', 'no route')
  a.isUp = false
  assert.equal(groupOf({ to: '+14155550107' }), 'b')
})

test('without a route, or with all its links down, a message waits without an attempt', async (t) => {
  const [a, b] = [new FakeLink('a'), new FakeLink('b')]
  const routes = [routeTo(['a'], { campaigns: ['cmp_2'] }), routeTo(['b'], { prefixes: ['+1310'] })]
  const { set, send } = await stage(t, settingsOf([linkOf(a), linkOf(b)], routes))
  const down = [{ kind: 'down', isElsewhereUp: true }]
  const unrouted = await set.submit([submission('1', { to: '+14155550107' })])
  assert.deepEqual(unrouted, [{ ...down[0], retryAfterMs: 15_000 }])
  b.isUp = false
  assert.deepEqual(await send('2'), down)
  assert.equal(set.isUp?.(), true, 'another link is up')
  a.isUp = false
  assert.equal(set.isUp?.(), false)
  assert.deepEqual(await send('3'), [{ kind: 'down', isElsewhereUp: false }])
  assert.deepEqual([a.taken, b.taken], [[], []])
})

test('messages of a link that is down fail over, and those with an unknown outcome do not', async (t) => {
  const [a, b, c] = [new FakeLink('a'), new FakeLink('b'), new FakeLink('c')]
  const routes = [routeTo(['a'], { failover: ['b', 'c'] })]
  const { send } = await stage(
    t,
    settingsOf(
      [a, b, c].map((fake) => linkOf(fake)),
      routes,
    ),
  )
  a.isUp = false
  b.answer = () => ({ kind: 'down' })
  assert.deepEqual(await send('1'), [{ ...SENT, link: 'c' }])
  a.isUp = true
  a.answer = () => ({ kind: 'unknown', detail: 'no answer' })
  assert.deepEqual(await send('2'), [{ kind: 'unknown', detail: 'no answer', link: 'a' }])
  a.answer = () => Promise.reject(new Error('broken'))
  assert.deepEqual(await send('3'), [
    { kind: 'unknown', detail: 'the link gave no answer', link: 'a' },
  ])
  a.answer = () => ({ kind: 'failed', errorCode: 1350 })
  assert.deepEqual(await send('4'), [{ kind: 'failed', errorCode: 1350 }])
  assert.deepEqual([b.taken, c.taken], [['1'], ['1']])
})

test('a throttled message goes to the next link only if the route allows it', async (t) => {
  const [a, b] = [new FakeLink('a'), new FakeLink('b')]
  a.answer = () => ({ kind: 'slow_down', retryAfterMs: 5_000 })
  const links = [linkOf(a), linkOf(b)]
  const waits = settingsOf(links, [routeTo(['a'], { failover: ['b'] })])
  const { send, reloadWith } = await stage(t, waits)
  assert.deepEqual(await send('1'), [{ kind: 'slow_down', retryAfterMs: 5_000 }])
  const goes = settingsOf(links, [routeTo(['a'], { failover: ['b'], onSlowDown: 'next' })])
  assert.deepEqual(await reloadWith(() => goes), { ok: true })
  assert.deepEqual(await send('2'), [{ ...SENT, link: 'b' }])
  b.answer = () => ({ kind: 'slow_down', retryAfterMs: 1_000 })
  assert.deepEqual(await send('3'), [{ kind: 'slow_down', retryAfterMs: 1_000 }])
  b.answer = () => ({ kind: 'slow_down', retryAfterMs: 9_000 })
  assert.deepEqual(await send('4'), [{ kind: 'slow_down', retryAfterMs: 5_000 }], 'the sooner one')
  b.answer = () => ({ kind: 'down' })
  assert.deepEqual(await send('5'), [{ kind: 'slow_down', retryAfterMs: 5_000 }])
})

test('a message that one link returns does not go to a link that was removed meanwhile', async (t) => {
  const [a, b] = [new FakeLink('a'), new FakeLink('b')]
  const first = settingsOf(
    [linkOf(a), linkOf(b, { drainMs: 3_600_000 })],
    [routeTo(['a'], { failover: ['b'] })],
  )
  const { send, reloadWith } = await stage(t, first)
  let giveBack = (_: SubmitAnswer) => {}
  a.answer = () => new Promise((resolve) => (giveBack = resolve))
  const underWay = send('1')
  await reloadWith(() => settingsOf([linkOf(a)], [routeTo(['a'])]))
  giveBack({ kind: 'down' })
  assert.deepEqual(await underWay, [{ kind: 'down', isElsewhereUp: true }])
  assert.deepEqual(b.taken, [])
})

test('a link that comes back is used again after a while, or immediately if no other link is up', async (t) => {
  const [a, b] = [new FakeLink('a'), new FakeLink('b')]
  const links = [linkOf(a, { failbackMs: 3_600_000 }), linkOf(b)]
  const routes = [routeTo(['a'], { failover: ['b'] })]
  const { send, reloadWith } = await stage(t, settingsOf(links, routes))
  await send('1')
  a.isUp = false
  await send('2')
  a.isUp = true
  await send('3')
  b.isUp = false
  await send('4')
  b.isUp = true
  await send('5')
  assert.deepEqual(
    [a.taken, b.taken],
    [
      ['1', '4'],
      ['2', '3', '5'],
    ],
  )
  const soon = settingsOf([linkOf(a, { failbackMs: 0 }), linkOf(b)], routes)
  await reloadWith(() => soon)
  await send('6')
  assert.deepEqual(a.taken, ['1', '4', '6'])
  assert.deepEqual(a.happened, ['started'], 'a changed failback delay does not replace the link')
})

test('links that share traffic fail over to each other before failover links', async (t) => {
  const [a, b, c] = [new FakeLink('a'), new FakeLink('b'), new FakeLink('c')]
  const routes = [routeTo(['a', 'b'], { failover: ['c'] })]
  const { set } = await stage(
    t,
    settingsOf(
      [a, b, c].map((fake) => linkOf(fake)),
      routes,
    ),
  )
  const batch = Array.from({ length: 50 }, (_, i) =>
    submission(String(i), { to: `+131055501${10 + i}` }),
  )
  await set.submit(batch)
  assert.ok(a.taken.length > 0 && b.taken.length > 0 && c.taken.length === 0)
  a.isUp = false
  const before = b.taken.length
  await set.submit(batch)
  assert.deepEqual([b.taken.length - before, c.taken.length], [50, 0])
})

test('invalid settings change nothing and return the error', async (t) => {
  const a = new FakeLink('a')
  const { send, reloadWith } = await stage(t, settingsOf([linkOf(a)], [routeTo(['a'])]))
  const bad = () => {
    throw new BadSetting('carriers.yaml:3 links[0].port must be a whole number.')
  }
  const error = 'carriers.yaml:3 links[0].port must be a whole number.'
  assert.deepEqual(await reloadWith(bad), { ok: false, error })
  await send('1')
  assert.deepEqual([a.taken, a.happened], [['1'], ['started']])
})

test('a reload tunes a running link, such as its trace, and does not replace it', async (t) => {
  const a = new FakeLink('a')
  const { reloadWith } = await stage(t, settingsOf([linkOf(a)], [routeTo(['a'])]))
  const tuned: string[] = []
  const tune = async (carrier: { name: string }) => void tuned.push(carrier.name)
  await reloadWith(() => settingsOf([linkOf(a, { tune })], [routeTo(['a'])]))
  assert.deepEqual(tuned, ['a'])
  assert.deepEqual(a.happened, ['started'])
})

test('a reload keeps an unchanged link and starts a new one', async (t) => {
  const [a, b] = [new FakeLink('a'), new FakeLink('b')]
  const { set, send, reloadWith } = await stage(t, settingsOf([linkOf(a)], [routeTo(['a'])]))
  const other = new FakeLink('a')
  await reloadWith(() => settingsOf([linkOf(other), linkOf(b)], [routeTo(['b'])]))
  await until(() => set.links!().length === 2 && b.happened.length === 1, 'the new link')
  await send('1')
  assert.deepEqual([a.happened, other.happened, b.taken], [['started'], [], ['1']])
})

test('a changed link is replaced after it has results for all its messages, and nothing is lost', async (t) => {
  const [old, changed, spare] = [new FakeLink('a'), new FakeLink('a'), new FakeLink('b')]
  const routes = [routeTo(['a'], { failover: ['b'] })]
  const { send, reloadWith } = await stage(t, settingsOf([linkOf(old), linkOf(spare)], routes))
  let finish = (_: SubmitAnswer) => {}
  old.answer = () => new Promise((resolve) => (finish = resolve))
  const underWay = send('1')
  await reloadWith(() => settingsOf([linkOf(changed, {}, 2), linkOf(spare)], routes))
  assert.deepEqual(await send('2'), [{ ...SENT, link: 'b' }], 'meanwhile another link takes over')
  assert.deepEqual([old.happened, changed.happened], [['started'], []])
  finish(SENT)
  assert.deepEqual(await underWay, [{ ...SENT, link: 'a' }])
  await until(() => changed.happened.length === 1, 'the new link')
  assert.deepEqual(old.happened, ['started', 'stopped'])
  await send('3')
  assert.deepEqual([old.taken, changed.taken, spare.taken], [['1'], ['3'], ['2']])
})

test('if the carrier allows both, the new link binds first and the old one works until then', async (t) => {
  const [old, changed] = [new FakeLink('a'), new FakeLink('a')]
  const { set, send, reloadWith } = await stage(t, settingsOf([linkOf(old)], [routeTo(['a'])]))
  changed.isUp = false
  const both = settingsOf([linkOf(changed, { mayOverlap: true }, 2)], [routeTo(['a'])])
  await reloadWith(() => both)
  await until(() => changed.happened.length === 1, 'the new link')
  await send('1')
  assert.deepEqual([old.taken, changed.taken, set.links!().length], [['1'], [], 2])
  changed.isUp = true
  await until(() => old.happened.includes('stopped'), 'the end of the old link')
  await send('2')
  assert.deepEqual([old.taken, changed.taken, set.links!().length], [['1'], ['2'], 1])
})

test('the next reload drops a changed link that never came up, and the old one continues', async (t) => {
  const [old, wrong] = [new FakeLink('a'), new FakeLink('a')]
  const first = settingsOf([linkOf(old)], [routeTo(['a'])])
  const { set, send, reloadWith } = await stage(t, first)
  wrong.isUp = false
  await reloadWith(() => settingsOf([linkOf(wrong, { mayOverlap: true }, 2)], [routeTo(['a'])]))
  await until(() => wrong.happened.length === 1, 'the changed link')
  await reloadWith(() => first)
  const staying = set.links!().filter(({ detail }) => !detail?.startsWith('leaving'))
  assert.equal(staying.length, 1)
  await until(() => wrong.happened.includes('stopped'), 'the end of the changed link')
  await send('1')
  assert.deepEqual([old.taken, old.happened], [['1'], ['started']])
})

test('a removed link accepts no new messages, finishes those it has, and accepts late receipts', async (t) => {
  const [a, b] = [new FakeLink('a'), new FakeLink('b')]
  const receipts: string[] = []
  const listener = {
    ...LISTENER,
    receipt: async (of: { link: string }) => void receipts.push(of.link),
  }
  const first = settingsOf([linkOf(a, { drainMs: 100 }), linkOf(b)], [routeTo(['a'])])
  const { set, send, reloadWith } = await stage(t, first, { listener })
  let finish = (_: SubmitAnswer) => {}
  a.answer = () => new Promise((resolve) => (finish = resolve))
  const underWay = send('1')
  await reloadWith(() => settingsOf([linkOf(b)], [routeTo(['b'])]))
  assert.deepEqual(await send('2'), [{ ...SENT, link: 'b' }])
  assert.deepEqual(set.afterUnknown!('a'), { waitMs: 7, mayRepeat: true })
  finish(SENT)
  assert.deepEqual(await underWay, [{ ...SENT, link: 'a' }])
  assert.ok(set.links!().some(({ link, detail }) => link === 'a' && detail?.startsWith('leaving')))
  await a.listener!.receipt({
    link: 'x',
    of: { carrierIds: ['1'] },
    status: 'DELIVERED',
    errorCode: null,
  })
  assert.deepEqual(receipts, ['a'])
  await until(() => a.happened.includes('stopped'), 'the end of the removed link')
  assert.deepEqual(set.afterUnknown!('a'), { waitMs: 120_000, mayRepeat: false })
  assert.deepEqual([a.taken, b.taken], [['1'], ['2']])
})

test('a link that is removed and added again binds again after it has disconnected', async (t) => {
  const [a, again] = [new FakeLink('a'), new FakeLink('a')]
  const first = settingsOf([linkOf(a, { drainMs: 3_600_000 })], [routeTo(['a'])])
  const { send, reloadWith } = await stage(t, first)
  const spare = new FakeLink('b')
  await reloadWith(() => settingsOf([linkOf(spare)], [routeTo(['b'])]))
  await reloadWith(() => settingsOf([linkOf(again)], [routeTo(['a'])]))
  await until(() => again.happened.length === 1, 'the new link')
  assert.deepEqual(a.happened, ['started', 'stopped'])
  assert.deepEqual(await send('1'), [{ ...SENT, link: 'a' }])
})

test('queries about a link go to that link', async (t) => {
  const [a, b] = [new FakeLink('a'), new FakeLink('b')]
  const { set } = await stage(t, settingsOf([linkOf(a), linkOf(b)], [routeTo(['a'])]))
  const request = { method: 'POST', path: '/', query: {}, headers: {}, body: Buffer.alloc(0) }
  assert.deepEqual(await set.callback!('b', request), { status: 200, body: 'b' })
  assert.equal(await set.callback!('c', request), null)
  const asked = await set.query!(submission('1'), 'b', new Date(0))
  assert.deepEqual(asked, { kind: 'sent', carrierIds: ['b'] })
  assert.equal(await set.query!(submission('1'), null, new Date(0)), null)
  assert.deepEqual(set.afterUnknown!(null), { waitMs: 7, mayRepeat: true })
  const names = set.links!().map(({ link, kind }) => `${link} ${kind}`)
  assert.deepEqual(names, ['a fake', 'b fake'])
})

test('a process without the dispatch role opens no connections but still accepts callbacks', async (t) => {
  const [bound, called] = [new FakeLink('a'), new FakeLink('b')]
  const links = [linkOf(bound), linkOf(called, { isConnected: false })]
  const { set } = await stage(t, settingsOf(links, [routeTo(['a'])]), { isDispatching: false })
  assert.deepEqual([bound.happened, called.happened, set.isUp!()], [[], ['started'], true])
})

test('networks are learned from responses and inbound messages, stored once a day, and read on first use', async (t) => {
  const a = new FakeLink('a')
  const seenAt = new Date()
  const rows = [{ number: '+13105550199', network: 'vzw', link: 'b', seenAt }]
  const recent = [{ number: '+13105550198', network: 'att', link: 'b', seenAt }]
  const settings = settingsOf([linkOf(a)], [routeTo(['a'])])
  const { set, send, statements, clock } = await stage(t, settings, { rows, recent })
  const writes = () => statements.filter(({ text }) => text.includes('insert into'))
  assert.equal(set.networkOf('+14155550107'), 'att', 'from its prefix')
  await until(() => set.networkOf('+13105550198') === 'att', 'a network used recently')
  assert.equal(set.networkOf('+13105550199'), null, 'not known yet')
  await until(() => set.networkOf('+13105550199') === 'vzw', 'a stored network')
  a.answer = () => ({ ...SENT, network: 'tmo' }) as SubmitAnswer
  await send('1')
  await send('2')
  assert.equal(set.networkOf('+13105550107'), 'tmo')
  const inbound = {
    link: 'a',
    carrierId: null,
    to: '+12125550100',
    body: '',
    mediaUrls: [],
    part: null,
  }
  await a.listener!.inbound({ ...inbound, from: '+14155550107', network: null })
  assert.equal(set.networkOf('+14155550107'), null, 'a learned network overrides a prefix')
  await until(() => writes().flatMap(({ values }) => values[0]).length === 2, 'two writes')
  assert.deepEqual(
    writes().flatMap(({ values }) => values[1]),
    ['tmo', null],
  )
  clock.moveTo(25 * 3_600_000)
  await send('3')
  await until(() => writes().flatMap(({ values }) => values[0]).length === 3, 'the third write')
  clock.moveTo(40 * 86_400_000)
  assert.equal(set.networkOf('+13105550199'), null, 'too old to count')
})

test('no lookups happen while no network has been learned', async (t) => {
  const a = new FakeLink('a')
  const { set, send, statements } = await stage(t, settingsOf([linkOf(a)], [routeTo(['a'])]))
  for (const digit of '123') set.networkOf(`+1310555010${digit}`)
  await send('1')
  for (const digit of '123') set.networkOf(`+1310555010${digit}`)
  const networks = statements.filter(({ text }) => text.includes('number_lookup_cache'))
  assert.equal(networks.length, 1, 'only the check at startup')
})

test('a message uses only links that host its sender, and waits while they are down', async (t) => {
  const [a, b] = [new FakeLink('a'), new FakeLink('b')]
  const routes = [routeTo(['a', 'b'], { failover: [] })]
  const links = [linkOf(a, { account: 'fake A' }), linkOf(b, { account: 'fake B' })]
  const { set, send, statements } = await stage(t, settingsOf(links, routes), {
    hosted: { link: 'b' },
  })
  for (const id of ['1', '2', '3']) assert.deepEqual(await send(id), [{ ...SENT, link: 'b' }])
  assert.equal(set.groupOf?.(submission('4')), 'b')
  b.isUp = false
  assert.deepEqual(await send('5'), [{ kind: 'down', isElsewhereUp: true }])
  assert.deepEqual([a.taken, b.taken], [[], ['1', '2', '3']])
  const reads = statements.filter(({ text }) => text.includes('from number_inventory'))
  assert.equal(reads.length, 1, 'one read for all messages of a number')
  assert.equal(set.canSend?.({ link: 'b', hosts: null }, 'cmp_1'), true)
  assert.equal(set.canSend?.({ link: 'c', hosts: null }, 'cmp_1'), false)
})
