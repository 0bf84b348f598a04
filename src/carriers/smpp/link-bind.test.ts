// The binds of a link over real sockets: their states, what they count and log, and how they end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submission } from '../../../test/smpp-fixtures.js'
import { startLink } from '../../../test/smpp-link.js'
import { startPeer } from '../../../test/smpp-peer.js'
import { until } from '../../../test/until.js'
import { STATUS } from '../../smpp/pdu/status.js'

/** Texts of log lines, each with its bind or link. */
const textsOf = (logged: readonly string[]) =>
  logged.map((line) => {
    const { msg, bind } = JSON.parse(line) as { msg: string; bind?: string }
    return bind === undefined ? msg : `${bind}: ${msg}`
  })

test('a link shows its binds, its window, and since when it is up', async (t) => {
  const peer = await startPeer(t)
  const before = Date.now()
  const { link, logged } = await startLink(t, peer, { settings: { binds: 2, window: 7 } })
  const [status, ...others] = link.links!()
  assert.deepEqual(others, [])
  const { since, connections, ...rest } = status!
  assert.deepEqual(rest, {
    ...{ link: 'aggregator', kind: 'smpp', isUp: true, detail: null },
    ...{ window: { used: 0, size: 14 }, rate: null },
  })
  assert.ok(since.getTime() >= before)
  const here = `127.0.0.1:${peer.port}`
  assert.deepEqual(
    connections.map(({ name, state, peer }) => [name, state, peer]),
    [
      ['transceiver 1', 'bound', here],
      ['transceiver 2', 'bound', here],
    ],
  )
  for (const one of connections) assert.ok(one.since.getTime() >= before)
  assert.deepEqual(
    textsOf(logged).filter((text) => text.includes('up')),
    ['carrier link is up'],
    'once for all binds',
  )
})

test('the settings say how much a link takes at once, and how it settles an unknown outcome', async (t) => {
  const peer = await startPeer(t)
  const unknown = { mayRepeat: true, mayRepeatByUsecase: { '2FA': false } }
  const { link } = await startLink(t, peer, {
    settings: { binds: 3, window: 5, settleSeconds: 7, unknown },
  })
  assert.equal(link.capacityOf!(''), 30)
  assert.deepEqual(link.afterUnknown!(null), { waitMs: 7_000, ...unknown })
  assert.equal(link.receiptsOf!('', 'x'.repeat(400)), 3)
})

test('receivers bind, but send nothing and have no part in the window', async (t) => {
  const peer = await startPeer(t)
  const settings = { bindMode: 'transmitter_receiver', window: 3 } as const
  const { link } = await startLink(t, peer, { settings })
  assert.deepEqual(link.links!()[0]!.window, { used: 0, size: 3 })
  const answers = await link.submit(Array.from({ length: 6 }, () => submission()))
  assert.ok(answers.every(({ kind }) => kind === 'sent'))
  const submits = peer.binds.map(({ bound, submits }) => [bound!.command, submits.length])
  assert.deepEqual(submits.toSorted(), [
    ['bind_receiver', 0],
    ['bind_transmitter', 6],
  ])
  peer.validateBind = () => STATUS.ESME_RBINDFAIL.code
  peer.binds.find(({ bound }) => bound!.command === 'bind_transmitter')!.socket.destroy()
  await until(() => !link.isUp!(), 'the link to go down, although the receiver is bound')
})

test('a bind shows the address of its carrier while it is connected, and the host of the settings otherwise', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, { settings: { host: 'localhost' } })
  const shown = () => link.links!()[0]!.connections[0]!.peer
  assert.equal(shown(), `127.0.0.1:${peer.port}`)
  await link.stop()
  assert.equal(shown(), `localhost:${peer.port}`)
})

test('a stop unbinds, counts no loss, and logs none', async (t) => {
  const peer = await startPeer(t)
  const { link, count, logged } = await startLink(t, peer, { settings: { binds: 2 } })
  await link.stop()
  const [{ connections, isUp, window }] = link.links!() as [
    ReturnType<NonNullable<typeof link.links>>[0],
  ]
  assert.deepEqual(
    [isUp, window, connections.map(({ state }) => state)],
    [false, { used: 0, size: 0 }, ['stopped', 'stopped']],
  )
  const counts = (['bound', 'unbound', 'lost', 'failed', 'refused'] as const).map((event) =>
    count('connections', event),
  )
  assert.deepEqual(counts, [2, 2, 0, 0, 0])
  assert.ok(!textsOf(logged).some((text) => /lost|failed|down/.test(text)), logged.join())
})

test('a cut is counted and logged with its bind, and the link reports that it is down and up again', async (t) => {
  const peer = await startPeer(t)
  const { link, count, logged } = await startLink(t, peer)
  const { since } = link.links!()[0]!
  peer.binds[0]!.socket.resetAndDestroy()
  await until(() => count('connections', 'bound') === 2 && link.isUp!(), 'another bind')
  assert.deepEqual([count('connections', 'lost'), count('connections', 'failed')], [1, 0])
  const texts = textsOf(logged).filter((text) => /SMPP bind|carrier link/.test(text))
  assert.deepEqual(texts, [
    'transceiver 1: SMPP bind stands',
    'carrier link is up',
    'transceiver 1: SMPP bind lost',
    'carrier link is down',
    'transceiver 1: SMPP bind stands',
    'carrier link is up',
  ])
  assert.ok(link.links!()[0]!.since.getTime() >= since.getTime())
})

test('a carrier that unbinds gets no more messages, and its bind is counted as unbound', async (t) => {
  const peer = await startPeer(t)
  const { link, count } = await startLink(t, peer)
  peer.binds[0]!.smpp.unbind()
  await until(() => count('connections', 'bound') === 2 && link.isUp!(), 'another bind')
  assert.equal(count('connections', 'lost') + count('connections', 'unbound'), 1)
})

test('an unreachable carrier and one that does not answer the bind both count as failed', async (t) => {
  const nowhere = await startLink(t, { port: 1 }, { isAwaited: false })
  await until(() => nowhere.count('connections', 'failed') >= 2, 'two attempts')
  assert.match(nowhere.link.links!()[0]!.detail!, /^transceiver 1: .*ECONNREFUSED/)
  const failures = textsOf(nowhere.logged).filter((text) => text.includes('SMPP bind failed'))
  assert.deepEqual(failures, ['transceiver 1: SMPP bind failed'], 'the same reason is logged once')

  const peer = await startPeer(t)
  peer.validateBind = () => {
    peer.binds.at(-1)!.socket.destroy()
    return 0
  }
  const cut = await startLink(t, peer, { isAwaited: false })
  await until(() => cut.count('connections', 'failed') >= 2, 'two attempts')
  assert.deepEqual([cut.count('connections', 'lost'), cut.link.isUp!()], [0, false])
})

test('a refused bind is counted as refused only, and its status is the reason', async (t) => {
  const peer = await startPeer(t)
  peer.validateBind = () => STATUS.ESME_RINVPASWD.code
  const { link, count } = await startLink(t, peer, { isAwaited: false })
  await until(() => count('connections', 'refused') >= 2, 'two attempts')
  assert.equal(count('connections', 'failed'), 0)
  await until(
    () => link.links!()[0]!.detail?.startsWith('transceiver 1: The bind was refused: '),
    'the reason',
  )
})

test('a link that is stopped while it connects or waits does not connect again', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, { isAwaited: false })
  await link.stop()
  assert.equal(link.links!()[0]!.connections[0]!.state, 'stopped')

  const waiting = await startLink(t, { port: 1 }, { isAwaited: false })
  await until(() => waiting.count('connections', 'failed') >= 1, 'an attempt')
  await waiting.link.stop()
  assert.equal(waiting.link.links!()[0]!.connections[0]!.state, 'stopped')
})

test('each failure doubles the delay of the next attempt, and a bind that stood for ten seconds starts over', async (t) => {
  const delays: number[] = []
  const { setTimeout: wait } = globalThis
  // Only delays of reconnects are multiples of 1,001. They take no time here.
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms = 0) => {
    if (ms === 0 || ms % 1_001 !== 0) return wait(run, ms)
    delays.push(ms)
    return wait(run, 1)
  })
  t.mock.method(Math, 'random', () => 0.5)
  let nowMs = Math.ceil(performance.now()) // sums of whole numbers are exact
  t.mock.method(performance, 'now', () => nowMs)
  const peer = await startPeer(t)
  peer.validateBind = () => (delays.length < 5 ? STATUS.ESME_RBINDFAIL.code : 0)
  const reconnect = { firstMs: 4_004, maxMs: 32_032 }
  const { link } = await startLink(t, peer, { settings: { reconnect }, isAwaited: false })
  await until(() => link.isUp!(), 'the bind')
  assert.deepEqual(delays.splice(0), [3_003, 6_006, 12_012, 24_024, 24_024])
  const cutAfter = async (ms: number) => {
    await until(() => link.isUp!(), 'the bind')
    nowMs += ms
    peer.validateBind = () => 0
    peer.binds.at(-1)!.socket.resetAndDestroy()
    await until(() => delays.length === 1, 'the next delay')
    return delays.splice(0)
  }
  assert.deepEqual(await cutAfter(9_999), [24_024])
  assert.deepEqual(await cutAfter(10_000), [3_003])
  assert.deepEqual(await cutAfter(0), [6_006])
})
