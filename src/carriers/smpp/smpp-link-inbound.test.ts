// Deliveries over the link: acknowledged once they are stored, and not before. And what the link logs and traces.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { submission } from '../../../test/smpp-fixtures.js'
import { startLink } from '../../../test/smpp-link.js'
import { type PeerBind, startPeer } from '../../../test/smpp-peer.js'
import { until } from '../../../test/until.js'
import { encodePdu } from '../../smpp/pdu/encode.js'
import { makePdu } from '../../smpp/pdu/pdu.js'
import { STATUS } from '../../smpp/pdu/status.js'

const FROM_PHONE = { sourceAddr: '14155550123', destinationAddr: '14152004000' }
const text = (body: string, esmClass = 0) => ({
  ...FROM_PHONE,
  esmClass,
  shortMessage: Buffer.from(body),
})
const receipt = (id: string, words = 'stat:DELIVRD err:000') => text(`id:${id} ${words}`, 4)

/** The status in the link's response. */
async function statusOf(bind: PeerBind, token: string): Promise<number> {
  const outcome = await until(() => bind.outcomeOf(token), `the response to ${token}`)
  assert.ok(outcome.kind === 'answered')
  return outcome.pdu.status
}

test('a receipt is acknowledged when it is stored, and refused for a retry when it is not', async (t) => {
  const peer = await startPeer(t)
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
  const kept = () => new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
  const { count } = await startLink(t, peer, { listener: { receipt: kept } })
  const [bind] = peer.binds
  bind!.deliver(receipt('1'), 'first')
  bind!.deliver(receipt('2'), 'second')
  await until(() => waiting.length === 2, 'both')
  waiting[1]!.reject(new Error('the database is down'))
  assert.equal(await statusOf(bind!, 'second'), STATUS.ESME_RX_T_APPN.code)
  assert.equal(bind!.outcomeOf('first'), undefined)
  waiting[0]!.resolve()
  assert.equal(await statusOf(bind!, 'first'), 0)
  assert.deepEqual(
    [count('deliveries', 'receipt', 'accepted'), count('deliveries', 'receipt', 'again')],
    [1, 1],
  )
})

test('a receipt that arrives before the submit response is passed on immediately', async (t) => {
  const peer = await startPeer(t)
  const { link, receipts } = await startLink(t, peer, { settings: { receiptIdForm: 'as_written' } })
  peer.onSubmit = (bind, pdu) => {
    bind.deliver(receipt('7'), 'early')
    void statusOf(bind, 'early').then(() => bind.take(pdu, '7'))
  }
  const [answer] = await link.submit([submission()])
  assert.deepEqual(answer, { kind: 'sent', link: 'aggregator', carrierIds: ['7'] })
  const said = receipts.map(({ clue, ...rest }) => {
    assert.ok(clue)
    return rest
  })
  assert.deepEqual(said, [
    {
      link: 'aggregator',
      of: { carrierIds: ['7'] },
      status: 'DELIVERED',
      errorCode: null,
      carrierCode: null,
    },
  ])
})

test('an inbound message has the connection it arrived on', async (t) => {
  const peer = await startPeer(t)
  const { inbound } = await startLink(t, peer, { settings: { binds: 2 } })
  for (const [i, bind] of peer.binds.entries()) {
    bind.deliver(text('Hi'), 'a')
    assert.equal(await statusOf(bind, 'a'), 0)
    assert.equal(inbound.length, i + 1)
  }
  const [first, second] = inbound
  assert.deepEqual([first!.from, first!.to, first!.body], ['+14155550123', '+14152004000', 'Hi'])
  assert.equal(first!.carrierId, second!.carrierId)
  assert.notEqual(first!.connection, second!.connection)
})

test('a redelivered inbound message is recognized, and the same text sent again is a new message', async (t) => {
  const peer = await startPeer(t)
  const connections: (string | undefined)[] = []
  let isAway = true
  await startLink(t, peer, {
    listener: {
      inbound: async ({ connection }) => {
        connections.push(connection)
        if (isAway) throw new Error('the database is down')
        return { messageId: null }
      },
    },
  })
  const [bind] = peer.binds
  const say = async (token: string) => {
    bind!.deliver(text('Yes'), token)
    return statusOf(bind!, token)
  }
  assert.equal(await say('first'), STATUS.ESME_RX_T_APPN.code)
  assert.equal(await say('second'), STATUS.ESME_RX_T_APPN.code)
  isAway = false
  assert.equal(await say('third'), 0)
  assert.equal(await say('sent again'), 0)
  const [first, second, third, again] = connections
  assert.equal(new Set([first, second, third]).size, 3, 'different connections')
  assert.equal(again, third, 'the same text twice on one connection is two messages')
})

test('parts of a long message can arrive in any order, also as data_sm', async (t) => {
  const peer = await startPeer(t)
  const { inbound } = await startLink(t, peer)
  const [bind] = peer.binds
  const part = (sequence: number, body: string) => ({
    ...FROM_PHONE,
    esmClass: 0x40,
    shortMessage: Buffer.concat([Buffer.from([5, 0, 3, 9, 2, sequence]), Buffer.from(body)]),
  })
  bind!.deliver(part(2, 'world'), 'b')
  bind!.deliver(part(1, 'Hello '), 'a')
  for (const token of ['a', 'b']) assert.equal(await statusOf(bind!, token), 0)
  assert.deepEqual(
    inbound.map(({ body, part: facts }) => [body, facts]),
    [
      ['world', { reference: 9, total: 2, sequence: 2 }],
      ['Hello ', { reference: 9, total: 2, sequence: 1 }],
    ],
  )
  const payload = { tag: 0x0424, value: Buffer.from('by data sm') }
  bind!.smpp.request('data_sm', FROM_PHONE, [payload], 'data')
  assert.equal(await statusOf(bind!, 'data'), 0)
  assert.equal(inbound[2]!.body, 'by data sm')
})

test('a PDU that is not a message is acknowledged, counted, and logged once', async (t) => {
  const peer = await startPeer(t)
  const { inbound, receipts, logged, count } = await startLink(t, peer)
  const [bind] = peer.binds
  const given = [
    { ...text('\x01\x02'), dataCoding: 4 },
    { ...text('\x01\x03'), dataCoding: 4 },
    text('a receipt without fields', 4),
    receipt('1', 'stat:ENROUTE'),
    receipt('1', 'stat:ACCEPTD'),
  ]
  for (const [i, fields] of given.entries()) {
    bind!.deliver(fields, String(i))
    assert.equal(await statusOf(bind!, String(i)), 0)
  }
  assert.deepEqual([inbound, receipts], [[], []])
  assert.equal(logged.filter((line) => line.includes('logged once')).length, 1)
  assert.deepEqual(
    [
      count('deliveries', 'unreadable', 'accepted'),
      count('deliveries', 'intermediate', 'accepted'),
    ],
    [3, 2],
  )
})

test('alerts are counted, broken PDUs get a response, and garbage ends only its bind', async (t) => {
  const peer = await startPeer(t)
  const { link, count } = await startLink(t, peer)
  const [bind] = peer.binds
  bind!.socket.write(encodePdu(makePdu('alert_notification', 5, { sourceAddr: '14155550123' })))
  await until(() => count('unexpected', 'alert_notification') === 1, 'the alert')
  const broken = encodePdu(makePdu('deliver_sm', 6, text('Hi'))).subarray(0, 20)
  broken.writeUInt32BE(20, 0)
  bind!.socket.write(broken)
  await until(() => count('unexpected', 'broken_pdu') === 1, 'the broken PDU')
  assert.equal(link.isUp!(), true)
  bind!.socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
  await until(() => peer.binds.length === 2 && link.isUp!(), 'another bind')
})

test('a trace is written while it is enabled, and can be switched while the bind is up', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'longcode-link-trace-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const peer = await startPeer(t)
  const { link, count } = await startLink(t, peer, {
    settings: { traceFile: path.join(folder, 'a-{pid}.pcap') },
  })
  await link.submit([submission({ body: 'first' })])
  for (let i = 0; i < 2; i++) await link.traceTo(path.join(folder, 'b.pcap'), 1_000_000)
  await link.submit([submission({ body: 'second' })])
  await link.traceTo(null, 0)
  await link.submit([submission({ body: 'third' })])
  const [a, b] = [`a-${process.pid}.pcap`, 'b.pcap'].map((name) =>
    readFileSync(path.join(folder, name)).toString('latin1'),
  )
  assert.deepEqual(readdirSync(folder).length, 2)
  const words = (file: string) =>
    ['us', 'secret', 'first', 'id-1', 'second', 'third'].filter((word) => file.includes(word))
  assert.deepEqual(words(a!), ['us', 'first', 'id-1'])
  assert.deepEqual(words(b!), ['second'])
  assert.equal(count('connections', 'bound'), 1)
})

test('receipts that arrive while the link stops are all accepted', async (t) => {
  const peer = await startPeer(t)
  const kept: string[] = []
  const { link } = await startLink(t, peer, {
    listener: {
      receipt: async (one) => {
        await sleep(5)
        kept.push(JSON.stringify(one.of))
      },
    },
  })
  const [bind] = peer.binds
  let count = 0
  const delivering = setInterval(() => {
    for (let i = 0; i < 3 && bind!.deliver(receipt(`9${count}`), `r${count}`); i++) count += 1
  }, 2)
  t.after(() => clearInterval(delivering))
  await until(() => kept.length >= 10, 'some receipts')
  await link.stop()
  await until(() => bind!.smpp.state === 'closed', 'the end')
  const statuses = Array.from({ length: count }, (_, i) => {
    const outcome = bind!.outcomeOf(`r${i}`)
    return outcome?.kind === 'answered' ? outcome.pdu.status : outcome?.kind
  })
  assert.deepEqual([...new Set(statuses)], [0])
  assert.equal(new Set(kept).size, count)
})

test('responses are still counted when a carrier unbinds in the middle of a window', async (t) => {
  const peer = await startPeer(t)
  const { link, count } = await startLink(t, peer, { settings: { window: 5 } })
  peer.onSubmit = (bind) => {
    if (peer.submits.length !== 5) return
    bind.socket.write(encodePdu(makePdu('unbind', 900, {})))
    setTimeout(() => {
      for (const [i, one] of bind.submits.entries()) bind.take(one, `id-${i}`)
    }, 20)
  }
  const answers = await link.submit(Array.from({ length: 5 }, () => submission()))
  assert.deepEqual([...new Set(answers.map(({ kind }) => kind))], ['sent'])
  assert.equal(count('unknown', 'closed'), 0)
  await until(() => peer.binds.length === 2 && link.isUp!(), 'another bind')
})
