// A link to a carrier that accepts, refuses, throttles, repeats, mixes up or omits responses, and cuts the connection.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selfSigned } from '../../../test/self-signed.js'
import { submission } from '../../../test/smpp-fixtures.js'
import { startLink } from '../../../test/smpp-link.js'
import { type SubmitPdu, startPeer } from '../../../test/smpp-peer.js'
import { until } from '../../../test/until.js'
import type { SendPermit, Submission, SubmitAnswer } from '../../messages/carrier-port.js'
import { encodePdu } from '../../smpp/pdu/encode.js'
import { makePdu } from '../../smpp/pdu/pdu.js'
import { STATUS, type StatusName } from '../../smpp/pdu/status.js'

const QUICK = { waitMaxMs: 300, takeMaxMs: 600, pollEveryMs: 20 }

const messages = (count: number, fields: Partial<Submission> = {}) =>
  Array.from({ length: count }, (_, i) => submission({ id: `msg_${i}`, ...fields }))
const kinds = (answers: readonly SubmitAnswer[]) => answers.map(({ kind }) => kind)
const texts = (submits: readonly SubmitPdu[]) =>
  submits.map(({ body }) => body.shortMessage.toString())
const LONG = 'x'.repeat(400)

test('messages are sent, and their results are in order, with the carrier’s ids', async (t) => {
  const peer = await startPeer(t)
  const { link, count } = await startLink(t, peer)
  const answers = await link.submit(messages(3))
  assert.deepEqual(
    answers,
    [1, 2, 3].map((i) => ({ kind: 'sent', link: 'aggregator', carrierIds: [`id-${i}`] })),
  )
  assert.equal(count('answers', 'ESME_ROK'), 3)
  assert.deepEqual(await link.submit([]), [])
  assert.equal(link.networkOf('+14155550123'), null)
  assert.deepEqual(link.afterUnknown!('aggregator'), { waitMs: 120_000, mayRepeat: false })
})

test('the settings determine the credentials, bind type, and number of connections', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, {
    settings: { bindMode: 'transmitter_receiver', binds: 2, systemType: 'SMPP', window: 3 },
  })
  assert.deepEqual(peer.binds.map(({ bound }) => bound!.command).sort(), [
    'bind_receiver',
    'bind_receiver',
    'bind_transmitter',
    'bind_transmitter',
  ])
  const { systemId, password, systemType, interfaceVersion } = peer.binds[0]!.bound!.body
  assert.deepEqual([systemId, password, systemType, interfaceVersion], ['us', 'secret', 'SMPP', 52])
  const [status] = link.links!()
  assert.deepEqual(
    status!.connections.map(({ name }) => name),
    ['transmitter 1', 'receiver 1', 'transmitter 2', 'receiver 2'],
  )
  assert.deepEqual([status!.isUp, status!.window, status!.rate], [true, { used: 0, size: 6 }, null])
  assert.deepEqual(kinds(await link.submit(messages(10))), Array(10).fill('sent'))
})

test('each carrier response maps to a result', async (t) => {
  const peer = await startPeer(t)
  const statuses = new Map<number, 'sent' | 1370>([
    [0x410, 'sent'],
    [0x411, 1370],
  ])
  const { link } = await startLink(t, peer, { settings: { carrierCodes: { statuses } } })
  for (const [status, answer] of [
    [
      STATUS.ESME_RINVDSTADR.code,
      { kind: 'failed', errorCode: 1350, carrierCode: 'ESME_RINVDSTADR' },
    ],
    [STATUS.ESME_RSYSERR.code, { kind: 'slow_down' }],
    [0x410, { kind: 'sent', link: 'aggregator', carrierIds: [] }],
    [0x411, { kind: 'failed', errorCode: 1370, carrierCode: '0x411' }],
    [0x999, { kind: 'failed', errorCode: 1499, carrierCode: '0x999', concerns: 'link' }],
  ] as const) {
    peer.onSubmit = (bind, pdu) => bind.refuse(pdu, status)
    assert.deepEqual(await link.submit([submission()]), [answer], String(status))
  }
  peer.onSubmit = (bind, pdu) => {
    bind.socket.write(encodePdu({ ...makePdu('generic_nack', pdu.sequence, {}), status: 3 }))
  }
  const [nacked] = await link.submit([submission()])
  assert.ok(nacked!.kind === 'failed' && nacked!.errorCode === 1375)
})

test('a response can contain the phone’s network', async (t) => {
  const peer = await startPeer(t)
  const networks = new Map([['31026', 'tmo' as const]])
  const { link } = await startLink(t, peer, {
    settings: { answerNetwork: { tag: 0x1500, networks } },
  })
  peer.onSubmit = (bind, pdu) => bind.take(pdu, '1', [{ tag: 0x1500, value: Buffer.from('31026') }])
  assert.deepEqual(await link.submit([submission()]), [
    { kind: 'sent', link: 'aggregator', carrierIds: ['1'], network: 'tmo' },
  ])
})

test('a message that the link cannot send fails, and the rest of the batch is sent', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer)
  const media = submission({ mediaUrls: ['https://media.test/1.png'] })
  const unwritable = submission({ from: 'Жук' })
  const answers = await link.submit([media, submission(), unwritable])
  assert.deepEqual(kinds(answers), ['failed', 'sent', 'failed'])
})

test('at most a window of messages is in flight, and all are sent in the end', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, { settings: { window: 4, binds: 2 } })
  const unanswered: (() => void)[] = []
  peer.onSubmit = (bind, pdu) => unanswered.push(() => bind.take(pdu, String(pdu.sequence)))
  const answered = link.submit(messages(20))
  await until(() => unanswered.length === 8, 'two windows')
  assert.deepEqual(link.links!()[0]!.window, { used: 8, size: 8 })
  assert.deepEqual(
    peer.binds.map(({ submits }) => submits.length),
    [4, 4],
  )
  peer.onSubmit = (bind, pdu) => bind.take(pdu, String(pdu.sequence))
  for (const answer of unanswered) answer()
  assert.deepEqual(kinds(await answered), Array(20).fill('sent'))
})

test('throttled messages return to the queue, and the link slows down', async (t) => {
  const peer = await startPeer(t)
  const { link, count } = await startLink(t, peer, { settings: { perSecond: 1_000 } })
  for (const name of ['ESME_RTHROTTLED', 'ESME_RMSGQFUL'] satisfies StatusName[]) {
    peer.onSubmit = (bind, pdu) => bind.refuse(pdu, STATUS[name].code)
    const [answer] = await link.submit([submission()])
    assert.deepEqual(answer, { kind: 'slow_down', retryAfterMs: 1_000 })
  }
  const [status] = link.links!()
  assert.ok(status!.rate!.perSecond < 1_000)
  assert.match(status!.detail!, /^Throttled: the carrier asked us to slow down/)
  assert.equal(count('throttled'), 2)
})

test('messages that a link cannot send in time return to the queue immediately', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, { settings: { perSecond: 10 }, limits: QUICK })
  const answers = await link.submit(messages(20))
  assert.equal(answers[0]!.kind, 'sent')
  const putBack = { kind: 'slow_down', retryAfterMs: 1_000 }
  assert.deepEqual(answers.slice(4), Array(16).fill(putBack))
  assert.ok(peer.submits.length <= 4)
})

test('when the time is over, unsent messages return to the queue and sent ones are unknown', async (t) => {
  const peer = await startPeer(t)
  const { link, late } = await startLink(t, peer, { settings: { window: 1 }, limits: QUICK })
  let answer = () => {}
  peer.onSubmit = (bind, pdu) => {
    answer = () => bind.take(pdu, 'late-1')
  }
  const [first, second] = await link.submit(messages(2))
  assert.deepEqual(second, { kind: 'slow_down', retryAfterMs: 1_000 })
  assert.ok(first!.kind === 'unknown' && first!.link === 'aggregator')
  answer()
  await until(() => late.length === 1, 'the late response')
  assert.deepEqual(late[0], {
    accountId: 'acc_1',
    id: 'msg_0',
    answer: { kind: 'sent', link: 'aggregator', carrierIds: ['late-1'] },
  })
  assert.equal(peer.submits.length, 1, 'the returned message was never sent')
})

test('a message that waits for the window too long returns to the queue, and a started message is completed', async (t) => {
  const peer = await startPeer(t)
  const { link, clock } = await startLink(t, peer, { settings: { window: 1 } })
  const held: (() => void)[] = []
  peer.onSubmit = (bind, pdu) => void held.push(() => bind.take(pdu, `id-${held.length}`))
  const submitBy = new Date(clock.nowMs() + 60_000)
  const [begun, late, last] = messages(3)
  const answers = link.submit([
    { ...begun!, body: LONG, submitBy },
    { ...late!, submitBy },
    { ...last!, body: 'at any time' },
  ])
  await until(() => held.length === 1, 'the first part')
  clock.moveTo(60_001)
  for (let parts = 1; parts <= 4; parts += 1) {
    await until(() => held.length === parts, `submit ${parts}`)
    held[parts - 1]!()
  }
  assert.deepEqual(kinds(await answers), ['sent', 'window_missed', 'sent'])
  assert.equal(texts(peer.submits).at(-1), 'at any time')
  assert.equal(peer.submits.length, 4)
})

test('a response timeout is an unknown outcome, and a late response is reported', async (t) => {
  const peer = await startPeer(t)
  const { link, late, count } = await startLink(t, peer, { settings: { responseTimeoutMs: 200 } })
  const answers: (() => void)[] = []
  peer.onSubmit = (bind, pdu) => answers.push(() => bind.refuse(pdu, STATUS.ESME_RINVDSTADR.code))
  const [answer] = await link.submit([submission()])
  assert.deepEqual(answer, {
    kind: 'unknown',
    detail: 'The carrier did not respond in time',
    link: 'aggregator',
  })
  answers[0]!()
  await until(() => late.length === 1, 'the late response')
  assert.equal(late[0]!.answer.kind, 'failed')
  assert.deepEqual([count('unknown', 'timeout'), count('late_answers')], [1, 1])
})

test('repeated, mixed-up, and unexpected responses change nothing', async (t) => {
  const peer = await startPeer(t)
  const { link, count } = await startLink(t, peer)
  peer.onSubmit = (bind, pdu) => {
    const answer = (sequence: number, messageId: string) =>
      bind.socket.write(encodePdu(makePdu('submit_sm_resp', sequence, { messageId })))
    answer(pdu.sequence + 1_000, 'nobody')
    answer(pdu.sequence, 'mine')
    answer(pdu.sequence, 'again')
  }
  assert.deepEqual(await link.submit([submission()]), [
    { kind: 'sent', link: 'aggregator', carrierIds: ['mine'] },
  ])
  await until(() => count('unexpected', 'stray_answer') === 2, 'both strays')
})

test('after a cut, sent messages are unknown, unsent ones return to the queue, and the link reconnects', async (t) => {
  const peer = await startPeer(t)
  const { link, count, logged } = await startLink(t, peer, { settings: { window: 2 } })
  peer.onSubmit = (bind) => {
    if (peer.submits.length === 2) bind.socket.resetAndDestroy()
  }
  const answers = await link.submit(messages(4))
  assert.deepEqual(kinds(answers), ['unknown', 'unknown', 'down', 'down'])
  assert.equal(link.isUp!(), false)
  assert.deepEqual(kinds(await link.submit(messages(1))), ['down'])
  assert.match(link.links!()[0]!.detail!, /transceiver 1: /)

  peer.onSubmit = (bind, pdu) => bind.take(pdu, '1')
  await until(() => link.isUp!(), 'the link to reconnect')
  assert.deepEqual(kinds(await link.submit(messages(1))), ['sent'])
  assert.equal(link.links!()[0]!.detail, null)
  assert.deepEqual(
    [count('connections', 'bound'), count('connections', 'lost'), count('unknown', 'closed')],
    [2, 1, 2],
  )
  assert.ok(!logged.join('').includes('secret'))
  assert.ok(!logged.join('').includes('4155550123'))
})

test('the other binds keep working when one is lost', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, { settings: { binds: 3 } })
  peer.validateBind = () => STATUS.ESME_RALYBND.code
  peer.binds[0]!.socket.destroy()
  await until(() => peer.binds.length > 3, 'another attempt')
  assert.equal(link.isUp!(), true)
  assert.deepEqual(kinds(await link.submit(messages(30))), Array(30).fill('sent'))
  const [status] = link.links!()
  await until(
    () => link.links!()[0]!.detail?.includes('ESME_RALYBND'),
    'the reason why it is not bound',
  )
  assert.deepEqual(status!.window, { used: 0, size: 20 })
  peer.validateBind = () => 0
  await until(() => peer.open.length === 3, 'all three binds again')
})

test('a link stays down with the reason while the carrier is unreachable or refuses the bind', async (t) => {
  const { link } = await startLink(t, { port: 1 }, { isAwaited: false })
  await until(() => link.links!()[0]!.detail?.includes('ECONNREFUSED'), 'a reason')
  assert.deepEqual(kinds(await link.submit(messages(2))), ['down', 'down'])
  await link.stop()
  assert.equal(link.links!()[0]!.connections[0]!.state, 'stopped')

  const peer = await startPeer(t)
  peer.validateBind = () => STATUS.ESME_RINVPASWD.code
  const refused = await startLink(t, peer, { isAwaited: false })
  await until(() => refused.link.links!()[0]!.detail?.includes('ESME_RINVPASWD'), 'a reason')
  await until(() => peer.binds.length >= 3, 'further attempts')
  assert.ok(refused.count('connections', 'refused') >= 2)
  const reasons = refused.logged.filter((line) => line.includes('ESME_RINVPASWD'))
  assert.equal(reasons.length, 1, 'the same reason is logged once')
})

test('the link binds again if the carrier lost the bind, and the message waits', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer)
  peer.onSubmit = (bind, pdu) => bind.refuse(pdu, STATUS.ESME_RINVBNDSTS.code)
  assert.deepEqual(kinds(await link.submit(messages(2))), ['down', 'down'])
  await until(() => peer.binds.length === 2 && link.isUp!(), 'another bind')
})

test('all parts use one bind, and the message is sent when all are accepted', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, {
    settings: { window: 2, binds: 2, longStyle: 'udh16' },
  })
  const answers = await link.submit(messages(4, { body: LONG }))
  for (const answer of answers) assert.ok(answer.kind === 'sent' && answer.carrierIds!.length === 3)
  const references = peer.binds.map(({ submits }) =>
    [
      ...new Set(submits.map(({ body }) => body.shortMessage.subarray(3, 5).toString('hex'))),
    ].sort(),
  )
  assert.equal(references.flat().length, 4, 'no message uses both binds')
})

test('a throttled part is sent again, and a refused part fails the message', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer)
  peer.onSubmit = (bind, pdu) => {
    if (peer.submits.length === 2) bind.refuse(pdu, STATUS.ESME_RTHROTTLED.code)
    else bind.take(pdu, `id-${peer.submits.length}`)
  }
  const [answer] = await link.submit([submission({ body: LONG })])
  assert.ok(answer!.kind === 'sent')
  assert.deepEqual(answer!.carrierIds, ['id-1', 'id-4', 'id-3'])
  const [, second, , again] = texts(peer.submits)
  assert.equal(second, again)

  peer.submits.length = 0
  peer.onSubmit = (bind, pdu) => {
    if (peer.submits.length === 3) bind.refuse(pdu, STATUS.ESME_RSUBMITFAIL.code)
    else bind.take(pdu, 'x')
  }
  assert.deepEqual(kinds(await link.submit([submission({ body: LONG })])), ['failed'])
})

test('a message returns to the queue if all its parts are throttled', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer)
  peer.onSubmit = (bind, pdu) => bind.refuse(pdu, STATUS.ESME_RTHROTTLED.code)
  assert.deepEqual(kinds(await link.submit([submission({ body: LONG })])), ['slow_down'])
  assert.equal(peer.submits.length, 3)
})

test('if a bind is lost between parts, the rest uses another bind, or the outcome is unknown without one', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, { settings: { window: 1, binds: 2 } })
  peer.onSubmit = (bind, pdu) => {
    bind.take(pdu, `id-${peer.submits.length}`)
    if (peer.submits.length === 1) bind.smpp.unbind()
  }
  const [answer] = await link.submit([submission({ body: LONG })])
  assert.deepEqual(answer, {
    kind: 'sent',
    link: 'aggregator',
    carrierIds: ['id-1', 'id-2', 'id-3'],
  })

  const only = await startPeer(t)
  const alone = await startLink(t, only, { settings: { window: 1 } })
  only.onSubmit = (bind, pdu) => {
    bind.take(pdu, 'id')
    bind.smpp.unbind()
  }
  assert.deepEqual(kinds(await alone.link.submit([submission({ body: LONG })])), ['unknown'])
})

test('a stop waits for messages in flight, returns the rest to the queue, and unbinds', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, { settings: { window: 1 } })
  let answer = () => {}
  peer.onSubmit = (bind, pdu) => {
    answer = () => bind.take(pdu, '7')
  }
  const answered = link.submit(messages(2))
  await until(() => peer.submits.length === 1, 'the first')
  const stopped = link.stop()
  assert.equal(link.isUp!(), false)
  assert.deepEqual(kinds(await link.submit(messages(1))), ['down'])
  answer()
  assert.deepEqual(kinds(await answered), ['sent', 'down'])
  await stopped
  await until(() => peer.binds[0]!.smpp.state === 'closed', 'the end')
  const closed = peer.binds[0]!.told.at(-1)!
  assert.ok(closed.kind === 'closed' && closed.reason === 'peer_unbound')
})

test('a message that gets its permit during a stop returns to the queue', async (t) => {
  const peer = await startPeer(t)
  const { link } = await startLink(t, peer, { limits: QUICK })
  const permits: ((permit: SendPermit) => void)[] = []
  const requestPermit = () =>
    new Promise<SendPermit>((resolve) => {
      permits.push(resolve)
    })
  const answered = link.submit([{ ...submission(), requestPermit }])
  await until(() => permits.length === 1, 'a request for its permit')
  const stopped = link.stop()
  permits[0]!({ untilMs: Number.POSITIVE_INFINITY })
  assert.deepEqual(kinds(await answered), ['down'])
  await stopped
  assert.deepEqual(peer.submits, [])
})

test('the link works over TLS, and stays down with an untrusted certificate', async (t) => {
  const certificate = selfSigned('smsc.test')
  const peer = await startPeer(t, { tls: certificate })
  const own = { serverName: 'smsc.test', minVersion: 'TLSv1.2', cert: null, key: null } as const
  const { link } = await startLink(t, peer, { settings: { tls: { ...own, ca: certificate.cert } } })
  assert.deepEqual(kinds(await link.submit(messages(3))), ['sent', 'sent', 'sent'])

  const doubting = await startLink(t, peer, {
    settings: { tls: { ...own, ca: null } },
    isAwaited: false,
  })
  await until(() => doubting.link.links!()[0]!.detail?.includes('self-signed'), 'a reason')
  assert.equal(doubting.link.isUp!(), false)
})
