// What a set of links answers for all of them: policies, media limits, groups, look-ups, and events under the names of
// the settings. Links and database are fakes.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { submission } from '../../../test/smpp-fixtures.js'
import { Clock } from '../../kit/clock.js'
import { Hints } from '../../kit/hints.js'
import { Metrics } from '../../kit/metrics.js'
import type {
  Carrier,
  CarrierListener,
  Inbound,
  LateAnswer,
  Receipt,
} from '../../messages/carrier-port.js'
import { LinkMeters } from '../link-meter.js'
import type { CarrierSettings, LinkSettings } from '../settings/carrier-settings.js'
import { type CarrierSetDeps, createCarrierSet } from './carrier-set.js'

/** A link that is one of these fields in addition to the least that a carrier is. */
function linkOf(name: string, carrier: Partial<Carrier> = {}, more: Partial<LinkSettings> = {}) {
  const usual = {
    ...{ name: `inside ${name}`, networkOf: () => null, submit: async () => [] },
    ...{ start: async () => {}, stop: async () => {} },
  }
  return {
    ...{ name, kind: 'smpp', isConnected: true, mayOverlap: false, drainMs: 0, failbackMs: 0 },
    ...{ hostsStock: null, settings: {}, create: () => ({ ...usual, ...carrier }) as Carrier },
    ...more,
  } as LinkSettings
}

const simulator = (name: string, carrier: Partial<Carrier> = {}) =>
  linkOf(name, { isSimulated: true, ...carrier }, { kind: 'simulator' })

function settingsOf(links: LinkSettings[], routed = links.map(({ name }) => name)) {
  const any = { networks: null, prefixes: null, campaigns: null, types: null }
  const shares = routed.slice(0, 1).map((link) => ({ link, share: 1 }))
  const rest = { failover: routed.slice(1), onSlowDown: 'wait' as const }
  const routes = [{ name: 'r', ...any, links: shares, ...rest }]
  const networks = { prefixes: new Map(), learnedMs: 7_000 }
  return { links, routes, networks, warnings: [] } as CarrierSettings
}

async function stage(
  t: TestContext,
  settings: CarrierSettings,
  { isDispatching = true, listener = {} as Partial<CarrierListener> } = {},
) {
  const statements: { text: string; values: unknown[] }[] = []
  const query = async (statement: { text: string; values: unknown[] }) => {
    statements.push(statement)
    if (!statement.text.includes('from number_inventory')) return []
    const asked = statement.values[0] as string[]
    return asked.map((phoneNumber) => ({ phoneNumber, link: null, hosts: null }))
  }
  const logged: unknown[] = []
  const note = (facts: unknown, text: string) => void logged.push([text, facts])
  const hints = new Hints()
  const hinted: string[] = []
  for (const hint of ['messages', 'reviews'] as const) {
    hints.subscribe(hint, () => void hinted.push(hint))
  }
  const refused: unknown[] = []
  const gates = {
    of: () => null,
    senders: { refuse: (...given: unknown[]) => refused.push(given) },
  }
  const log = { info: note, warn: note, error: note }
  const world = { db: { query }, clock: new Clock(), log, metrics: new Metrics(), hints }
  const state = { next: (): CarrierSettings => settings }
  const read = () => state.next()
  const deps = { world, meters: new LinkMeters(world), gates, read, isDispatching }
  const set = createCarrierSet(deps as unknown as CarrierSetDeps, settings)
  t.after(() => set.stop())
  await set.start(listener as CarrierListener)
  return { set, statements, logged, hinted, refused, state }
}

test('after an unknown outcome of an unknown link, the most careful link decides', async (t) => {
  const policies = [
    { waitMs: 5_000, mayRepeat: true, mayRepeatByUsecase: { '2FA': true, MARKETING: true } },
    { waitMs: 90_000, mayRepeat: true, mayRepeatByUsecase: { MARKETING: false } },
    { waitMs: 100, mayRepeat: true },
  ]
  const policyOf = async (...chosen: (object | null)[]) => {
    const links = chosen.map((policy, i) =>
      linkOf(`l${i}`, policy ? ({ afterUnknown: () => policy } as Partial<Carrier>) : {}),
    )
    return (await stage(t, settingsOf(links))).set.afterUnknown!
  }
  const all = await policyOf(...policies)
  assert.deepEqual(all(null), {
    ...{ waitMs: 90_000, mayRepeat: true },
    mayRepeatByUsecase: { '2FA': true, MARKETING: false },
  })
  assert.deepEqual(all('l2'), policies[2], 'a known link has its own')
  const careful = { waitMs: 120_000, mayRepeat: false }
  assert.deepEqual(all('gone'), careful)
  const mixed = await policyOf(policies[2]!, null)
  assert.deepEqual([mixed(null), mixed('l1')], [careful, careful], 'a link without a policy')
  const refuses = { waitMs: 1, mayRepeat: false, mayRepeatByUsecase: { '2FA': true } }
  const own = await policyOf(policies[2]!, refuses)
  assert.deepEqual(own(null), {
    ...{ waitMs: 100, mayRepeat: false },
    mayRepeatByUsecase: { '2FA': true },
  })
})

test('media fits the smallest limits of the links that may send the message', async (t) => {
  const terms = (bytesMax: number, otherBytesMax: number) => ({
    mediaTerms: () => ({ bytesMax, otherBytesMax }),
  })
  const links = [linkOf('a', terms(5, 90)), linkOf('b', terms(7, 80)), linkOf('c', terms(1, 1))]
  const routed = await stage(t, settingsOf(links, ['a', 'b']))
  const limits = { bytesMax: 5, otherBytesMax: 80 }
  assert.deepEqual(routed.set.mediaTerms!(submission()), limits)
  assert.deepEqual(routed.set.linksFor!(submission()), ['a', 'b'])
  const plain = await stage(t, settingsOf([linkOf('a'), linkOf('b', { mediaTerms: () => null })]))
  assert.equal(plain.set.mediaTerms!(submission()), null, 'links that take URLs as they are')
})

test('questions about a link reach it, and others have usual answers', async (t) => {
  const access = { headers: {} } as never
  const link = linkOf('a', {
    capacityOf: (group) => group.length,
    receiptsOf: (_, body) => body.length,
    mediaAccess: () => access,
  })
  const { set } = await stage(t, settingsOf([link, linkOf('b')]))
  for (const name of ['b', 'gone']) {
    assert.equal(set.capacityOf!(name), Number.POSITIVE_INFINITY)
    assert.equal(set.receiptsOf!(name, 'Hello'), 1)
    assert.equal(set.mediaAccess!(name, 'https://a.test'), null)
  }
  assert.deepEqual([set.capacityOf!('a'), set.receiptsOf!('a', 'Hello')], [1, 5])
  assert.equal(set.mediaAccess!('a', 'https://a.test'), access)
  assert.equal(set.learnedMs(), 7_000)
  assert.equal(set.sellsNumbers!(), false)
  assert.equal(set.describe(), 'a (smpp), b (smpp); 1 route')
})

test('a set is simulated if all its links are, and then the first one knows the networks', async (t) => {
  const vzw = { networkOf: () => 'vzw' as const }
  const { set } = await stage(t, settingsOf([simulator('a', vzw), simulator('b')]))
  assert.deepEqual([set.isSimulated, set.networkOf('+14155550109')], [true, 'vzw'])
  for (const links of [
    [simulator('a', vzw), linkOf('b')],
    [linkOf('b'), simulator('a', vzw)],
  ]) {
    const mixed = await stage(t, settingsOf(links))
    assert.deepEqual([mixed.set.isSimulated, mixed.set.networkOf('+14155550109')], [false, null])
  }
})

test('with simulators alone, hosts are not read, and every link may send', async (t) => {
  const { set, statements } = await stage(t, settingsOf([simulator('a')]))
  assert.equal(set.prepare!('+14152004000'), null)
  assert.equal(set.groupOf!(submission()), 'a')
  assert.ok(!statements.some(({ text }) => text.includes('number_inventory')))
})

test('a message of a number whose host is unknown has no group, and all links of its route', async (t) => {
  const { set } = await stage(t, settingsOf([linkOf('a'), linkOf('b')]))
  assert.deepEqual([set.groupOf!(submission()), set.linksFor!(submission())], ['', ['a', 'b']])
  await set.prepare!(submission().from)
  assert.equal(set.groupOf!(submission()), 'a')
})

test('receipts of a restart go to the first simulator', async (t) => {
  const resumed: unknown[] = []
  const resume = (given: unknown) => resumed.push(given)
  const { set } = await stage(
    t,
    settingsOf([linkOf('a'), simulator('b', { resume } as Partial<Carrier>), simulator('c')]),
  )
  set.resume([submission()])
  assert.equal(resumed.length, 1)
  const none = await stage(t, settingsOf([linkOf('a')]))
  none.set.resume([submission()])
})

test('an unknown number is looked up by a link that can, once, in a process that dispatches', async (t) => {
  const asked: string[] = []
  const lookUp = async (number: string) => {
    asked.push(number)
    return number.endsWith('1') ? { isLandline: true } : null
  }
  const links = [linkOf('a'), linkOf('b', { lookUp })]
  const { set } = await stage(t, settingsOf(links))
  await new Promise(setImmediate)
  const [landline, unknown] = ['+14155550101', '+14155550102']
  for (let i = 0; i < 2; i += 1) {
    assert.equal(set.isLandline!(landline), i === 1)
    assert.equal(set.isLandline!(unknown), false)
    await new Promise(setImmediate)
  }
  assert.deepEqual(asked, [landline, unknown])
  const idle = await stage(t, settingsOf(links), { isDispatching: false })
  await new Promise(setImmediate)
  idle.set.isLandline!(landline)
  await new Promise(setImmediate)
  assert.equal(asked.length, 2)
})

/** The listener that a set hands to its link, and what came out of the set. */
async function listenerOf(t: TestContext, carrier: Partial<Carrier> = {}) {
  let inner: CarrierListener | null = null
  const events: object[] = []
  const keep = async (event: object) => void events.push(event)
  const listener = {
    ...{ receipt: keep, lateAnswer: keep },
    inbound: async (event: object) => {
      events.push(event)
      return { messageId: 'msg_7' }
    },
  }
  const start = async (given: CarrierListener) => {
    inner = given
  }
  const link = linkOf('acme', { start, ...carrier })
  const whole = await stage(t, settingsOf([link]), { listener })
  return { ...whole, events, inner: inner! as Required<CarrierListener> }
}

test('events of a link have its name in the settings, whatever it calls itself', async (t) => {
  const { inner, events, set } = await listenerOf(t)
  const event = { link: 'x' }
  await inner.receipt(event as Receipt)
  await inner.lateAnswer({ answer: { kind: 'sent', link: 'x' } } as LateAnswer)
  await inner.lateAnswer({ answer: { kind: 'slow_down' } } as LateAnswer)
  const inbound = { ...event, from: '+14155550101', network: 'tmo' }
  assert.deepEqual(await inner.inbound(inbound as Inbound), { messageId: 'msg_7' })
  assert.deepEqual(events, [
    { link: 'acme' },
    { answer: { kind: 'sent', link: 'acme' } },
    { answer: { kind: 'slow_down' } },
    { ...inbound, link: 'acme' },
  ])
  assert.equal(set.networkOf('+14155550101'), 'tmo', 'learned along the way')
  inner.learned('+14155550102', { network: 'att' })
  assert.equal(set.networkOf('+14155550102'), 'att')
})

test('a simulator teaches no networks, and a message without one teaches none', async (t) => {
  const simulated = await listenerOf(t, { isSimulated: true })
  const inbound = { link: 'x', from: '+14155550101', network: 'tmo' }
  await simulated.inner.inbound(inbound as Inbound)
  assert.equal(simulated.set.networkOf('+14155550101'), null)
  const { inner, set, statements } = await listenerOf(t)
  await inner.inbound({ link: 'x', from: '+14155550101' } as Inbound)
  assert.equal(set.networkOf('+14155550101'), null)
  assert.ok(!statements.some(({ text }) => text.includes('insert')))
})

test('a changed registration is due at once, and a refused sender is held', async (t) => {
  const { inner, statements, hinted, refused } = await listenerOf(t)
  await inner.registered({ accountId: 'acc_1' as never, recordId: 'cmp_1' })
  const update = statements.find(({ text }) => text.includes('update registrations'))
  assert.deepEqual(update!.values.slice(1, 4), ['acc_1', 'cmp_1', 'acme'])
  assert.deepEqual(hinted, ['reviews'])
  inner.senderRefused('+14152004000', '40305')
  inner.senderRefused('+14152004000', null)
  assert.deepEqual(refused, [
    ['acme', '+14152004000', '40305'],
    ['acme', '+14152004000', 'without a code'],
  ])
})

test('warnings of the settings are logged at the start and at each reload, which wakes waiting messages', async (t) => {
  const settings = { ...settingsOf([linkOf('a')]), warnings: ['one', 'two'] }
  const { set, logged, hinted, state } = await stage(t, settings)
  const warnings = () =>
    logged.filter((line) => (line as [string])[0] === 'carrier settings').length
  assert.equal(warnings(), 2)
  assert.deepEqual(await set.reload(), { ok: true })
  assert.deepEqual([warnings(), hinted], [4, ['messages']])
  assert.deepEqual(
    logged.find((line) => (line as [string])[0] === 'carrier settings in force'),
    ['carrier settings in force', { added: [], changed: [], removed: [], routes: 1 }],
  )
  state.next = () => {
    throw 'no text'
  }
  assert.deepEqual(await set.reload(), { ok: false, error: 'no text' })
  assert.equal(hinted.length, 1)
})
