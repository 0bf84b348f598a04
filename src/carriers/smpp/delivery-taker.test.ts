// What a link answers to deliveries of its carrier, what it counts and logs, and how it marks redeliveries.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkSettings } from '../../../test/smpp-fixtures.js'
import type { CarrierListener, Inbound } from '../../messages/carrier-port.js'
import { makePdu } from '../../smpp/pdu/pdu.js'
import { STATUS } from '../../smpp/pdu/status.js'
import { makeStandardTlv, type Tlv } from '../../smpp/pdu/tlv.js'
import type { LinkBind } from './link-bind.js'
import type { LinkMetrics } from './link-metrics.js'
import { answerId, type DeliveryPdu, DeliveryTaker, readDelivery } from './read-delivery.js'
import type { SmppLinkSettings } from './smpp-settings.js'

const ADDRESSES = { sourceAddr: '14155550123', destinationAddr: '14152004000' }
const AGAIN = { status: STATUS.ESME_RX_T_APPN.code }

const pduOf = (text: string, fields: object = {}, tlvs: readonly Tlv[] = []) =>
  makePdu('deliver_sm', 1, { ...ADDRESSES, shortMessage: Buffer.from(text), ...fields }, tlvs)
const receiptPdu = (text: string) => pduOf(text, { esmClass: 4 })

function open(more: Partial<CarrierListener> = {}, settings: Partial<SmppLinkSettings> = {}) {
  const state = { nowMs: 0 }
  const [answers, counted, logged]: [unknown[], string[], string[]] = [[], [], []]
  const [receipts, inbound]: [unknown[], Inbound[]] = [[], []]
  const log = {
    warn: ({ kind, err }: { kind?: string; err?: Error }) =>
      void logged.push(kind ?? err?.message ?? ''),
  }
  const metrics = {
    delivery: (kind: string, isKept: boolean) => void counted.push(`${kind} ${isKept}`),
  }
  const taker = new DeliveryTaker(
    linkSettings(settings),
    log as unknown as ConstructorParameters<typeof DeliveryTaker>[1],
    metrics as unknown as LinkMetrics,
    () => state.nowMs,
  )
  const listener = {
    receipt: async (one: unknown) => void receipts.push(one),
    inbound: async (one: Inbound) => {
      inbound.push(one)
      return { messageId: null }
    },
    ...more,
  } as CarrierListener
  const take = (pdu: DeliveryPdu, connection = 'one') => {
    const bind = { connection, respond: (_: unknown, answer: unknown) => answers.push(answer) }
    return taker.take(bind as unknown as LinkBind, pdu, listener)
  }
  return { take, state, answers, counted, logged, receipts, inbound }
}

test('what is stored, in progress, or unreadable is acknowledged, and counted by its kind', async () => {
  const { take, answers, counted, receipts, inbound } = open()
  for (const pdu of [
    receiptPdu('id:1 stat:DELIVRD'),
    pduOf('Hi'),
    receiptPdu('id:1 stat:ENROUTE'),
    receiptPdu('no fields'),
    pduOf('\x01', { dataCoding: 4 }),
    pduOf('x', { esmClass: 0x08 }),
    pduOf('x', { esmClass: 0x10 }),
  ]) {
    await take(pdu)
  }
  assert.deepEqual(counted, [
    ...['receipt true', 'inbound true', 'intermediate true', 'unreadable true', 'unreadable true'],
    ...['acknowledgement true', 'acknowledgement true'],
  ])
  assert.deepEqual(answers, Array(7).fill({}))
  assert.deepEqual([receipts.length, inbound.length], [1, 1])
})

test('what cannot be stored is refused for a redelivery, and logged', async () => {
  const broken = () => Promise.reject(new Error('the database is down'))
  const { take, answers, counted, logged } = open({ receipt: broken, inbound: broken })
  await take(receiptPdu('id:1 stat:DELIVRD'))
  await take(pduOf('Hi'))
  assert.deepEqual(answers, [AGAIN, AGAIN])
  assert.deepEqual(counted, ['receipt false', 'inbound false'])
  assert.deepEqual(logged, Array(2).fill('the database is down'))
})

test('what is no message is logged once per kind, and a message in progress never', async () => {
  const { take, logged } = open()
  for (let i = 0; i < 2; i += 1) {
    await take(receiptPdu('id:1 stat:ENROUTE'))
    await take(receiptPdu('no fields'))
    await take(pduOf('x', { esmClass: 0x10 }))
  }
  assert.deepEqual(logged, ['unreadable', 'acknowledgement'])
})

test('a PDU that breaks the reader is unreadable, and is acknowledged', async () => {
  const { take, answers, counted } = open()
  const broken = { ...pduOf('Hi'), tlvs: null } as unknown as DeliveryPdu
  await take(broken)
  assert.deepEqual([answers, counted], [[{}], ['unreadable true']])
})

test('each redelivery that we requested counts as another connection, until one is stored', async () => {
  let isAway = true
  const connections: (string | undefined)[] = []
  const { take } = open({
    inbound: async ({ connection }) => {
      connections.push(connection)
      if (isAway) throw new Error('the database is down')
      return { messageId: null }
    },
  })
  for (let i = 0; i < 3; i += 1) await take(pduOf('Yes'))
  await take(pduOf('No'))
  isAway = false
  await take(pduOf('Yes'))
  await take(pduOf('Yes'), 'two')
  await take(pduOf('No'))
  await take(pduOf('Maybe'))
  assert.deepEqual(connections, [
    ...['one', 'one 1', 'one 2', 'one'],
    ...['one 3', 'two', 'one 1', 'one'],
  ])
})

test('a second text during the first five seconds is another message, and a later one a redelivery', async () => {
  const connections: (string | undefined)[] = []
  const ends: (() => void)[] = []
  const { take, state } = open({
    inbound: ({ connection }) => {
      connections.push(connection)
      return new Promise((resolve) => ends.push(() => resolve({ messageId: null })))
    },
  })
  const finish = async () => {
    for (const end of ends.splice(0)) end()
    await new Promise(setImmediate)
  }
  void take(pduOf('Yes'))
  state.nowMs = 4_999
  void take(pduOf('Yes'))
  state.nowMs = 5_000
  void take(pduOf('Yes'))
  await finish()
  state.nowMs = 20_000
  void take(pduOf('Yes')) // the first attempt has ended
  await finish()
  assert.deepEqual(connections, ['one', 'one', 'one 1', 'one'])
})

test('a message with the carrier’s own id is never marked', async () => {
  const broken = () => Promise.reject(new Error('the database is down'))
  const seen: Inbound[] = []
  const inbound = (one: Inbound) => {
    seen.push(one)
    return broken()
  }
  const { take } = open({ inbound }, { inboundIdTag: 0x1500 })
  const tlvs = [{ tag: 0x1500, value: Buffer.from('in-7') }]
  for (let i = 0; i < 2; i += 1) await take(pduOf('Yes', {}, tlvs))
  assert.deepEqual(
    seen.map(({ carrierId, connection }) => [carrierId, connection]),
    Array(2).fill(['in-7', undefined]),
  )
})

function readOf(pdu: DeliveryPdu, settings: Partial<SmppLinkSettings> = {}) {
  return readDelivery(pdu, linkSettings(settings), 'bind-1')
}

function idsOf(text: string, settings: Partial<SmppLinkSettings>, tlvs: Tlv[] = []) {
  const delivery = readOf(pduOf(text, { esmClass: 4 }, tlvs), settings)
  assert.ok(delivery.kind === 'receipt' && 'carrierIds' in delivery.receipt.of)
  return delivery.receipt.of.carrierIds
}

test('the ids of a receipt are read in the forms of the settings', () => {
  const two = [makeStandardTlv('receiptedMessageId', '0a')]
  for (const [answerIdForm, receiptIdForm, tlvs, ids] of [
    ['as_written', 'as_written', [], ['0010']],
    ['auto', 'as_written', [], ['0010']],
    ['as_written', 'decimal', [], ['10']],
    ['as_written', 'hex', [], ['16']],
    ['as_written', 'hex', two, ['10', '16']],
    ['as_written', 'as_written', two, ['0a', '0010']],
  ] as const) {
    const text = `${answerIdForm} ${receiptIdForm} ${tlvs.length}`
    const found = idsOf('id:0010 stat:DELIVRD', { answerIdForm, receiptIdForm }, [...tlvs])
    assert.deepEqual(found, ids, text)
  }
  const guessed = idsOf('id:0010 stat:DELIVRD', { receiptIdForm: 'hex' })
  assert.deepEqual([guessed[0], guessed.includes('10')], ['16', true], 'spellings of the response')
  assert.equal(new Set(guessed).size, guessed.length, 'each once')
  const both = idsOf('id:0010 stat:DELIVRD', {}, two)
  for (const id of ['0a', '10', '0010', '16']) assert.ok(both.includes(id), id)
  assert.equal(new Set(both).size, both.length, 'each once')
})

test('the id of a response is stored as written, without spaces, or in the form of the settings', () => {
  const of = (id: string, answerIdForm: SmppLinkSettings['answerIdForm']) =>
    answerId(id, linkSettings({ answerIdForm }))
  assert.deepEqual(
    [of(' 00FF ', 'auto'), of('00FF', 'hex'), of('0077', 'decimal'), of('00FF', 'as_written')],
    ['00FF', '255', '77', '00FF'],
  )
})

test('the times of a receipt are in the zone of the settings, and a clue needs both numbers', () => {
  const text = 'id:1 submit date:2611151200 done date:2611151201 stat:DELIVRD err:000'
  const clueOf = (fields: object = {}, receiptUtcOffsetMinutes = 0) => {
    const delivery = readOf(pduOf(text, { esmClass: 4, ...fields }), { receiptUtcOffsetMinutes })
    return delivery.kind === 'receipt' ? delivery.receipt.clue!() : null
  }
  assert.deepEqual(clueOf()!.submittedAt, new Date('2026-11-15T12:00:00Z'))
  assert.deepEqual(clueOf({}, -300)!.submittedAt, new Date('2026-11-15T17:00:00Z'))
  assert.equal(clueOf({ sourceAddr: '' }), null)
  assert.equal(clueOf({ destinationAddr: '' }), null)
})

test('messages are the same only if addresses, coding, class, place, and bytes are', () => {
  const idOf = (text: string, fields: object = {}, tlvs: Tlv[] = []) => {
    const delivery = readOf(pduOf(text, fields, tlvs))
    assert.ok(delivery.kind === 'inbound', delivery.kind)
    return delivery.inbound.carrierId
  }
  const first = idOf('Hi')
  assert.equal(idOf('Hi', { sourceAddrTon: 1, priorityFlag: 1 }), first)
  assert.equal(idOf('Hi', {}, [{ tag: 0x1400, value: Buffer.from('x') }]), first, 'any other TLV')
  const sar = (reference: number, total: number, sequence: number) => [
    makeStandardTlv('sarMsgRefNum', reference),
    makeStandardTlv('sarTotalSegments', total),
    makeStandardTlv('sarSegmentSeqnum', sequence),
  ]
  const ids = [
    first,
    idOf('Ho'),
    idOf('Hi', { sourceAddr: '14155550124' }),
    idOf('Hi', { destinationAddr: '14152004001' }),
    idOf('Hi', { dataCoding: 1 }),
    idOf('Hi', { esmClass: 0x03 }),
    idOf('Hi', {}, sar(1, 2, 1)),
    idOf('Hi', {}, sar(2, 2, 1)),
    idOf('Hi', {}, sar(1, 3, 1)),
    idOf('Hi', {}, sar(1, 2, 2)),
  ]
  assert.equal(new Set(ids).size, ids.length)
})
