// From a request to the accepted message, without a database: its price, its route, and when it is sent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../kit/contract/refusal.js'
import { Metrics } from '../../kit/metrics.js'
import type { World } from '../../kit/world.js'
import type { Network } from '../carrier-port.js'
import { SealedAddresses } from '../media/sealed-address.js'
import type { NewMessage } from './accept-queries.js'
import type { SendInput } from './compose-message.js'
import { createSendService, type SendDeps } from './send-message.js'

const ADDRESSES = new SealedAddresses(
  { publicUrl: 'https://sms.ours.test', mediaLinkHours: 24 },
  Buffer.alloc(32),
)
const NOW = new Date('2026-11-15T12:00:00.000Z')
const DAY_MS = 24 * 3_600_000
const INPUT: SendInput = { campaign: 'cmp_1', to: '+14155550107', body: 'Hello' }
const LIMITS = { smsTpmAtt: 5, mmsTpmAtt: 5, dailyTmoCap: 5 }

const PRICES = { smsPriceMicros: 7_900n, mmsPriceMicros: 20_000n, callPriceMicros: 0n }

function contextOf(campaignId: string) {
  return { campaignId, limits: LIMITS, numbers: ['+14152000001'] }
}

function stage(
  change: Partial<SendDeps> = {},
  network: Network | null = null,
  stored: object[] = [],
) {
  const taken: NewMessage[] = []
  const accepted = (message: NewMessage) => {
    taken.push(message)
    return { id: `msg_${message.body}`, isReplay: false }
  }
  const deps: SendDeps = {
    acceptor: {
      accept: async (_, message) => accepted(message),
      acceptAll: async (_, messages) => messages.map(accepted),
      drain: async () => {},
    },
    contexts: {
      peek: (_, campaignId) => contextOf(campaignId),
      get: async (_, campaignId) => contextOf(campaignId),
      campaignOf: async () => 'cmp_of_sender',
      peekCampaign: () => undefined,
    },
    senders: { peek: ({ numbers }) => numbers[0], get: async (_, { numbers }) => numbers[0]! },
    carrier: { networkOf: () => network },
    prices: { peek: () => PRICES, get: async () => PRICES },
    quota: { admit: () => null },
    addresses: {
      peek: () => ADDRESSES,
      open: async () => ADDRESSES,
    },
    dispatcher: { hasCapacity: () => true },
    ...change,
  }
  const world = {
    db: { query: async () => stored },
    clock: { now: () => NOW },
    config: { segmentCounting: 'flat160', sendsWaitingMax: 10 },
    metrics: new Metrics(),
  } as unknown as World
  const service = createSendService(world, deps)
  const send = async (input: Partial<SendInput> = {}) => {
    const answer = await service.send('acc_1', { ...INPUT, ...input }, null)
    return answer instanceof Refusal ? answer.message : taken.at(-1)!
  }
  const sent = async (input: Partial<SendInput> = {}) => {
    const message = await send(input)
    assert.ok(typeof message === 'object', String(message))
    return message
  }
  return { service, send, sent, taken }
}

test('a plain send is an SMS to send immediately', async () => {
  assert.deepEqual(await stage().sent(), {
    campaignId: 'cmp_1',
    type: 'SMS',
    from: '+14152000001',
    to: '+14155550107',
    route: 'open',
    body: 'Hello',
    mediaUrls: [],
    metadata: {},
    numSegments: 1,
    priceMicros: 7_900n,
    automatic: null,
    scheduledAt: null,
    validitySeconds: null,
    path: { kind: 'handoff' },
    once: null,
  })
  const { metadata, validitySeconds } = await stage().sent({
    metadata: { a: 'b' },
    validitySeconds: 60,
  })
  assert.deepEqual([metadata, validitySeconds], [{ a: 'b' }, 60])
})

test('an SMS is charged per segment, an MMS once', async () => {
  const { sent } = stage()
  for (const [length, segments, price] of [
    [160, 1, 7_900n],
    [161, 2, 15_800n],
    [321, 3, 23_700n],
  ] as const) {
    const { numSegments, priceMicros } = await sent({ body: 'x'.repeat(length) })
    assert.deepEqual([numSegments, priceMicros], [segments, price])
  }
  const mms = await sent({ body: 'x'.repeat(321), mediaUrls: ['http://a.test/a.png'] })
  assert.deepEqual([mms.type, mms.numSegments, mms.priceMicros], ['MMS', 1, 20_000n])
  assert.equal((await sent({ mediaUrls: [] })).type, 'SMS')
})

test('a message without limit, media, or schedule is sent right after it is accepted', async () => {
  const dueAt = async (given: ReturnType<typeof stage>, input?: Partial<SendInput>) => {
    const { path } = await given.sent(input)
    return path.kind === 'queue' ? path.dueAt : path.kind
  }
  assert.equal(await dueAt(stage()), 'handoff')
  assert.deepEqual(await dueAt(stage(), { mediaUrls: ['http://a.test/a.png'] }), NOW)
  for (const network of ['att', 'tmo'] as const) {
    assert.deepEqual(
      await dueAt(stage({}, network)),
      NOW,
      'a message on a limited route is claimed',
    )
  }
  assert.deepEqual(await dueAt(stage({ dispatcher: null })), NOW, 'another process dispatches')
  assert.deepEqual(await dueAt(stage({ dispatcher: { hasCapacity: () => false } })), NOW)
  const scheduledAt = '2026-11-16T12:00:00.000Z'
  assert.deepEqual(await dueAt(stage(), { scheduledAt }), new Date(scheduledAt))
})

test('a message can be scheduled from the next millisecond up to 35 days ahead', async () => {
  const { send } = stage()
  const scheduled = async (ms: number) => {
    const scheduledAt = new Date(NOW.getTime() + ms).toISOString()
    const message = await send({ scheduledAt })
    if (typeof message === 'string') return message
    assert.equal(message.scheduledAt!.toISOString(), scheduledAt)
    return 'accepted'
  }
  assert.equal(await scheduled(0), 'scheduledAt must be in the future')
  assert.equal(await scheduled(1), 'accepted')
  assert.equal(await scheduled(35 * DAY_MS), 'accepted')
  assert.equal(await scheduled(35 * DAY_MS + 1), 'scheduledAt must be at most 35 days ahead')
})

test('without a campaign, the sender’s campaign is used', async () => {
  const { service, sent, taken } = stage()
  const bare = { to: INPUT.to, body: INPUT.body }
  const refusal = await service.send('acc_1', bare, null)
  assert.ok(refusal instanceof Refusal)
  assert.equal(refusal.message, 'campaign is required unless from is one of your numbers')
  await service.send('acc_1', { ...bare, from: '+14152000001' }, null)
  assert.equal(taken.at(-1)!.campaignId, 'cmp_of_sender')
  assert.equal((await sent({ from: '+14152000001' })).campaignId, 'cmp_1')
})

test('each of many sends has its own result in its place, whatever has to be looked up', async () => {
  const { service, taken } = stage({
    prices: {
      peek: () => undefined,
      get: async () => ({ smsPriceMicros: 1n, mmsPriceMicros: 2n, callPriceMicros: 0n }),
    },
  })
  const refusal = new Refusal('field_invalid', 'No')
  const inputs = [
    refusal,
    { ...INPUT, body: 'One' },
    { ...INPUT, body: 'Two', scheduledAt: NOW.toISOString() },
    { ...INPUT, body: 'Three' },
  ]
  const answers = await service.sendAll('acc_1', inputs, () => null)
  assert.deepEqual(
    answers.map((answer) => (answer instanceof Refusal ? answer.message : answer.id)),
    ['No', 'msg_One', 'scheduledAt must be in the future', 'msg_Three'],
  )
  assert.deepEqual(
    taken.map(({ body, priceMicros }) => [body, priceMicros]),
    [
      ['One', 1n],
      ['Three', 1n],
    ],
  )
})

test('without a carrier link nothing is accepted, and a fault is not a refusal', async () => {
  const absent = stage({ carrier: { networkOf: () => null, isAbsent: true } })
  assert.match(String(await absent.send()), /carrier/)
  assert.deepEqual(absent.taken, [])
  const fault = new Error('away')
  const broken = {
    peek: () => undefined,
    get: () => Promise.reject(fault),
    campaignOf: () => Promise.reject(fault),
    peekCampaign: () => undefined,
  }
  await assert.rejects(stage({ contexts: broken }).send(), fault)
})

test('a fault is thrown unchanged, whenever it happens', async () => {
  const fault = new Error('away')
  const peek = () => {
    throw fault
  }
  const get = () => Promise.reject(fault)
  const campaignOf = async () => 'cmp_1'
  const { service } = stage({ contexts: { peek, get, campaignOf, peekCampaign: () => 'cmp_1' } })
  await assert.rejects(service.send('acc_1', INPUT, null), fault)
  await assert.rejects(
    service.sendAll('acc_1', [INPUT], () => null),
    fault,
  )
})

test('a repeated key gets the same response, even if the message could no longer be sent', async () => {
  const requestHash = Buffer.from('one')
  const stored = [{ requestHash, answer: JSON.stringify({ success: true, id: 'msg_before' }) }]
  const carrier = { networkOf: () => null, isAbsent: true }
  const once = { key: 'key', requestHash }
  const before = stage({ carrier }, null, stored).service
  assert.deepEqual(await before.send('acc_1', INPUT, once), { id: 'msg_before', isReplay: true })
  const codeOf = (answer: unknown) => answer instanceof Refusal && answer.code
  const other = await before.send('acc_1', INPUT, { ...once, requestHash: Buffer.from('two') })
  assert.equal(codeOf(other), 'idempotency_other_request')
  assert.equal(codeOf(await before.send('acc_1', INPUT, null)), 'carrier_absent')
  const checked = new Refusal('field_invalid', 'No')
  const many = await before.sendAll('acc_1', [INPUT, checked, INPUT], (i) => (i < 2 ? once : null))
  assert.deepEqual(many[0], { id: 'msg_before', isReplay: true })
  assert.deepEqual(many.slice(1).map(codeOf), ['field_invalid', 'carrier_absent'])
  const { service } = stage({ carrier })
  assert.equal(codeOf(await service.send('acc_1', INPUT, once)), 'carrier_absent', 'a new key')
})
