// Deliveries from carriers: receipts with ids in every spelling, messages in parts, and PDUs that are neither.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { linkSettings } from '../../../test/smpp-fixtures.js'
import { openLog } from '../../kit/log.js'
import type { CarrierListener, Inbound } from '../../messages/carrier-port.js'
import { makePdu } from '../../smpp/pdu/pdu.js'
import { makeStandardTlv, type Tlv } from '../../smpp/pdu/tlv.js'
import type { LinkBind } from './link-bind.js'
import type { LinkMetrics } from './link-metrics.js'
import { type CarrierDelivery, DeliveryTaker, readDelivery } from './read-delivery.js'
import type { SmppLinkSettings } from './smpp-settings.js'

const ADDRESSES = {
  sourceAddrTon: 1,
  sourceAddr: '14155550123',
  destAddrTon: 1,
  destinationAddr: '14152004000',
}

function read(
  fields: Record<string, unknown>,
  tlvs: readonly Tlv[] = [],
  settings: Partial<SmppLinkSettings> = {},
): CarrierDelivery {
  const pdu = makePdu('deliver_sm', 1, { ...ADDRESSES, ...fields }, tlvs)
  return readDelivery(pdu, linkSettings(settings), 'bind-1')
}

function inbound(...given: Parameters<typeof read>) {
  const delivery = read(...given)
  assert.ok(delivery.kind === 'inbound', delivery.kind)
  return delivery.inbound
}

function receipt(text: string, settings: Partial<SmppLinkSettings> = {}, tlvs: Tlv[] = []) {
  const delivery = read({ esmClass: 4, shortMessage: Buffer.from(text) }, tlvs, settings)
  assert.ok(delivery.kind === 'receipt', delivery.kind)
  const { of } = delivery.receipt
  assert.ok('carrierIds' in of)
  return { ...delivery.receipt, carrierIds: of.carrierIds }
}

test('a receipt names its message and reports the outcome', () => {
  const { clue, ...said } = receipt('id:abc-1 stat:DELIVRD err:000', {
    receiptIdForm: 'as_written',
  })
  assert.ok(clue)
  assert.deepEqual(said, {
    link: 'aggregator',
    of: { carrierIds: ['abc-1'] },
    carrierIds: ['abc-1'],
    status: 'DELIVERED',
    errorCode: null,
    carrierCode: null,
  })
  const receiptErrors = new Map([['470', 1370 as const]])
  const failed = receipt('id:1 stat:UNDELIV err:470', { carrierCodes: { receiptErrors } })
  assert.deepEqual(
    [failed.status, failed.errorCode, failed.carrierCode],
    ['FAILED', 1370, 'UNDELIVERABLE 470'],
  )
})

test('a receipt with status UNKNOWN leaves its message SENT', () => {
  const { clue, ...said } = receipt('id:1 stat:UNKNOWN err:099', { receiptIdForm: 'as_written' })
  assert.ok(clue)
  assert.deepEqual(said, {
    ...{ link: 'aggregator', of: { carrierIds: ['1'] }, carrierIds: ['1'] },
    ...{ status: 'SENT', errorCode: null, carrierCode: 'UNKNOWN 099', isUnconfirmed: true },
  })
})

test('the other fields of a receipt are returned as clues to its message', () => {
  const text =
    'id:1 sub:001 dlvrd:001 submit date:2611151200 done date:261115120130 stat:DELIVRD err:000 text:Hello: you'
  const addresses = { sourceAddrTon: 2, sourceAddr: '4155550123', destinationAddr: '+14152004000' }
  const tlvs = [makeStandardTlv('userMessageReference', 4660)]
  const clueOf = (settings: Partial<SmppLinkSettings> = {}, fields: object = addresses) => {
    const body = { esmClass: 4, shortMessage: Buffer.from(text), ...fields }
    const delivery = read(body, tlvs, settings)
    assert.equal(delivery.kind, 'receipt')
    return delivery.kind === 'receipt' ? delivery.receipt.clue!() : null
  }
  assert.deepEqual(clueOf(), {
    number: '+14152004000',
    peer: '+14155550123',
    submittedAt: new Date('2026-11-15T12:00:00Z'),
    doneAt: new Date('2026-11-15T12:01:30Z'),
    bodyStart: 'Hello: you',
    reference: 4660,
  })
  assert.equal(clueOf({ messageReference: false })!.reference, null)
  const nowhere = { sourceAddr: '', destinationAddr: '' }
  assert.equal(clueOf({}, nowhere), null, 'without numbers')
})

test('receipt ids match response ids in any spelling', () => {
  for (const [answerIdForm, receiptIdForm, written, expected] of [
    ['as_written', 'as_written', '00FF', ['00FF']],
    ['decimal', 'hex', '00FF', ['255']],
    ['hex', 'decimal', '0255', ['255']],
  ] as const) {
    const settings = { answerIdForm, receiptIdForm }
    assert.deepEqual(receipt(`id:${written} stat:DELIVRD`, settings).carrierIds, expected)
  }
  const guessed = receipt('id:255 stat:DELIVRD').carrierIds
  assert.equal(guessed[0], '255')
  for (const id of ['ff', 'FF', '000000ff', '0000000255']) assert.ok(guessed.includes(id), id)
  const half = receipt('id:FF stat:DELIVRD', { receiptIdForm: 'hex' }).carrierIds
  assert.ok(half.includes('255') && half.includes('ff'))
  const both = receipt('id:7 stat:DELIVRD', { receiptIdForm: 'as_written' }, [
    makeStandardTlv('receiptedMessageId', '8'),
  ])
  assert.deepEqual(both.carrierIds, ['8', '7'])
})

test('a receipt without a final status is only acknowledged', () => {
  const text = (body: string, esmClass = 4) =>
    read({ esmClass, shortMessage: Buffer.from(body) }).kind
  assert.equal(text('id:1 stat:ENROUTE'), 'intermediate')
  assert.equal(text('id:1 stat:ACCEPTD'), 'intermediate')
  assert.equal(text('id:1 stat:DELIVRD', 0x20), 'intermediate')
  assert.equal(text('id:1 stat:WHATEVER'), 'unreadable')
  assert.equal(text('stat:DELIVRD'), 'unreadable')
  assert.equal(text('Hello', 0x10), 'acknowledgement')
})

test('an inbound message has its numbers in E.164 and a fingerprint', () => {
  const first = inbound({ shortMessage: Buffer.from('Hi') })
  const { carrierId, ...rest } = first
  assert.deepEqual(rest, {
    link: 'aggregator',
    connection: 'bind-1',
    from: '+14155550123',
    to: '+14152004000',
    body: 'Hi',
    mediaUrls: [],
    part: null,
  })
  assert.match(carrierId!, /^~[\w-]{27}$/)
  assert.equal(inbound({ shortMessage: Buffer.from('Hi') }).carrierId, carrierId)
  for (const other of [
    { shortMessage: Buffer.from('Ho') },
    { shortMessage: Buffer.from('Hi'), sourceAddr: '14155550124' },
    { shortMessage: Buffer.from('Hi'), destinationAddr: '14152004001' },
    { shortMessage: Buffer.from('Hi'), dataCoding: 3 },
  ]) {
    assert.notEqual(inbound(other).carrierId, carrierId)
  }
})

test('an inbound message is identified by the carrier’s id, on any connection', () => {
  const named = (value: Buffer) =>
    inbound({ shortMessage: Buffer.from('Hi') }, [{ tag: 0x1500, value }], { inboundIdTag: 0x1500 })
  const text = named(Buffer.from('in-7\0'))
  assert.deepEqual([text.carrierId, 'connection' in text], ['in-7', false])
  assert.equal(named(Buffer.from([0, 1, 0xff])).carrierId, '0001ff')
  assert.match(inbound({}, [], { inboundIdTag: 0x1500 }).carrierId!, /^~/)
})

test('the carrier’s network value is translated to our name', () => {
  const networks = new Map([
    ['TMO', 'tmo'],
    ['310', 'att'],
  ] as const)
  const of = (...bytes: number[]) =>
    inbound({}, [{ tag: 0x1501, value: Buffer.from(bytes) }], {
      inboundNetwork: { tag: 0x1501, networks },
    }).network
  assert.equal(of(...Buffer.from('TMO\0')), 'tmo')
  assert.equal(of(...Buffer.from('310')), 'att')
  assert.equal(of(0x01, 0x36), 'att')
  assert.equal(of(...Buffer.from('other')), null)
  assert.equal(of(), undefined)
  assert.equal('network' in inbound({}), false)
})

test('parts are recognized by header and by TLV, and characters split between parts survive', () => {
  const units = Buffer.from('a😀b', 'utf16le').swap16()
  const header = (sequence: number) => Buffer.from([5, 0, 3, 9, 2, sequence])
  const part = (sequence: number, bytes: Buffer) =>
    inbound({
      esmClass: 0x40,
      dataCoding: 8,
      shortMessage: Buffer.concat([header(sequence), bytes]),
    })
  const [first, second] = [part(1, units.subarray(0, 4)), part(2, units.subarray(4))]
  assert.deepEqual(first!.part, { reference: 9, total: 2, sequence: 1 })
  assert.equal(first!.body + second!.body, 'a😀b')

  const sar = (sequence: number, total = 2, reference = 700) =>
    inbound({ shortMessage: Buffer.from('same') }, [
      makeStandardTlv('sarMsgRefNum', reference),
      makeStandardTlv('sarTotalSegments', total),
      makeStandardTlv('sarSegmentSeqnum', sequence),
    ])
  assert.deepEqual(sar(2).part, { reference: 700, total: 2, sequence: 2 })
  const others = [sar(1), sar(2, 3), sar(2, 2, 701)].map(({ carrierId }) => carrierId)
  assert.ok(!others.includes(sar(2).carrierId), 'the place in a long message is in the fingerprint')
})

test('a payload, a data_sm, and a NUL in the text are accepted', () => {
  const payload = makeStandardTlv('messagePayload', Buffer.from('a long one'))
  assert.equal(inbound({}, [payload]).body, 'a long one')
  const data = makePdu('data_sm', 1, ADDRESSES, [payload])
  const delivery = readDelivery(data, linkSettings(), 'bind-1')
  assert.ok(delivery.kind === 'inbound' && delivery.inbound.body === 'a long one')
  assert.equal(inbound({ dataCoding: 3, shortMessage: Buffer.from('a\0b') }).body, 'ab')
})

test('bytes that are not text are reported as unreadable, and no bytes throw', () => {
  assert.equal(read({ dataCoding: 4, shortMessage: Buffer.from([1, 2]) }).kind, 'unreadable')
  fc.assert(
    fc.property(
      fc.nat(255),
      fc.nat(255),
      fc.uint8Array({ maxLength: 255 }),
      fc.array(fc.tuple(fc.nat(0xffff), fc.uint8Array({ maxLength: 12 })), { maxLength: 4 }),
      (esmClass, dataCoding, bytes, tlvs) => {
        const given = tlvs.map(([tag, value]) => ({ tag, value: Buffer.from(value) }))
        read({ esmClass, dataCoding, shortMessage: Buffer.from(bytes) }, given)
      },
    ),
  )
})

test('a redelivery that arrives while the first attempt is late counts as from another connection', async () => {
  let nowMs = 0
  const connections: (string | undefined)[] = []
  const waiting: (() => void)[] = []
  const listener = {
    inbound: ({ connection }: Inbound) => {
      connections.push(connection)
      return new Promise<{ messageId: null }>((resolve) =>
        waiting.push(() => resolve({ messageId: null })),
      )
    },
  } as unknown as CarrierListener
  const metrics = { delivery: () => {} } as unknown as LinkMetrics
  const taker = new DeliveryTaker(linkSettings({}), openLog('silent'), metrics, () => nowMs)
  const bind = { connection: 'one', respond: () => {} } as unknown as LinkBind
  const fields = { ...ADDRESSES, shortMessage: Buffer.from('Yes') }
  const pdu = makePdu('deliver_sm', 1, fields, [])
  const take = () => taker.take(bind, pdu, listener)
  const attempts = [take()]
  nowMs = 1_000
  attempts.push(take())
  nowMs = 5_000
  attempts.push(take())
  for (const resolve of waiting) resolve()
  await Promise.all(attempts)
  assert.deepEqual(connections, ['one', 'one', 'one 1'])
})
