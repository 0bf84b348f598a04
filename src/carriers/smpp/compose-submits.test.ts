// Messages as submit_sm PDUs, with every link setting that changes them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkSettings, NOW, submission } from '../../../test/smpp-fixtures.js'
import type { Submission } from '../../messages/carrier-port.js'
import { referenceOf } from '../../messages/message-reference.js'
import { encodePdu } from '../../smpp/pdu/encode.js'
import { makePdu } from '../../smpp/pdu/pdu.js'
import { readMessage } from '../../smpp/text/read-message.js'
import { countReceipts, createComposer } from './compose-submits.js'
import type { SmppLinkSettings } from './smpp-settings.js'

function compose(settings: Partial<SmppLinkSettings> = {}, message: Partial<Submission> = {}) {
  return createComposer(linkSettings(settings))(submission(message), NOW.getTime())
}

/** Each part as its own PDU, encoded to prove that it can be. */
function pdus(settings: Partial<SmppLinkSettings> = {}, message: Partial<Submission> = {}) {
  const { parts } = compose(settings, message)
  assert.ok(parts)
  return parts.map(({ fields, tlvs }, i) => {
    const pdu = makePdu('submit_sm', i + 1, fields, tlvs)
    encodePdu(pdu)
    return pdu
  })
}

test('a submit has its numbers, its validity, and a receipt request', () => {
  const [pdu, ...others] = pdus()
  assert.deepEqual(others, [])
  assert.deepEqual(pdu!.body, {
    serviceType: '',
    sourceAddrTon: 1,
    sourceAddrNpi: 1,
    sourceAddr: '14152004000',
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: '14155550123',
    esmClass: 0,
    protocolId: 0,
    priorityFlag: 0,
    scheduleDeliveryTime: '',
    validityPeriod: '000000010000000R',
    registeredDelivery: 1,
    replaceIfPresentFlag: 0,
    dataCoding: 0,
    smDefaultMsgId: 0,
    shortMessage: Buffer.from('Hello'),
  })
  const reference = Buffer.alloc(2)
  reference.writeUInt16BE(referenceOf('msg_1'))
  assert.deepEqual(pdu!.tlvs, [{ tag: 0x0204, value: reference }])
  assert.deepEqual(pdus({ messageReference: false })[0]!.tlvs, [])
  const own = { tag: 0x0204, format: 'int2', value: '7' } as const
  assert.equal(pdus({ fixedTlvs: [own] })[0]!.tlvs.length, 1, 'each tag is sent once')
})

test('every part of a long text requests a receipt, unless the link requests fewer', () => {
  const long = 'x'.repeat(310)
  assert.equal(countReceipts(long, linkSettings()), 3)
  assert.equal(countReceipts(long, linkSettings({ longStyle: 'payload' })), 1)
  assert.equal(countReceipts(long, linkSettings({ registeredDelivery: 'last' })), 1)
  assert.equal(countReceipts('Hello', linkSettings()), 1)
})

test('numbers are written in the carrier’s format', () => {
  for (const [style, ton, npi, digits] of [
    [{ ton: null, npi: null, format: 'digits' }, 1, 1, '14155550123'],
    [{ ton: null, npi: null, format: 'plus' }, 1, 1, '+14155550123'],
    [{ ton: null, npi: null, format: 'national' }, 2, 1, '4155550123'],
    [{ ton: 0, npi: 8, format: 'digits' }, 0, 8, '14155550123'],
  ] as const) {
    const { body } = pdus({ destination: style })[0]!
    assert.deepEqual([body.destAddrTon, body.destAddrNpi, body.destinationAddr], [ton, npi, digits])
  }
  const plus = { ton: null, npi: null, format: 'plus' } as const
  const { body } = pdus({ source: plus }, { from: '72345' })[0]!
  assert.deepEqual([body.sourceAddrTon, body.sourceAddr], [3, '72345'])
  const abroad = { ...plus, format: 'national' } as const
  assert.equal(
    pdus({ destination: abroad }, { to: '+442079460000' })[0]!.body.destinationAddr,
    '442079460000',
  )
})

test('the validity is relative, absolute, or left to the carrier', () => {
  const of = (validity: SmppLinkSettings['validity']) => pdus({ validity })[0]!.body.validityPeriod
  assert.deepEqual(
    [of('relative'), of('absolute'), of('none')],
    ['000000010000000R', '261116060000000+', ''],
  )
})

test('long texts are split in the carrier’s style and can be joined again', () => {
  const body = `${'Ünï [€]'.repeat(60)} 😀`
  for (const [longStyle, count] of [
    ['udh8', 7],
    ['udh16', 7],
    ['sar', 7],
    ['payload', 1],
  ] as const) {
    const parts = pdus({ longStyle }, { body })
    assert.equal(parts.length, count, longStyle)
    const read = parts.map((pdu) => readMessage(pdu, linkSettings().codings))
    assert.equal(read.map(({ text }) => text).join(''), body)
    const sequences = read.map(({ part }) => part?.sequence ?? 1)
    assert.deepEqual(
      sequences,
      parts.map((_, i) => i + 1),
    )
  }
})

test('parts have the same reference at each attempt, and other messages have another one', () => {
  const reference = (messageId: string, attempt: number) => {
    const [pdu] = pdus({ longStyle: 'udh16' }, { body: 'x'.repeat(200), id: messageId, attempt })
    return readMessage(pdu!, linkSettings().codings).part!.reference
  }
  assert.equal(reference('msg_1', 1), reference('msg_1', 2))
  const references = new Set(Array.from({ length: 1_000 }, (_, i) => reference(`msg_${i}`, 1)))
  assert.ok(references.size > 950, `${references.size} of 1,000`)
})

test('receipts are requested for all parts, the last one, or none', () => {
  const of = (registeredDelivery: SmppLinkSettings['registeredDelivery']) =>
    pdus({ registeredDelivery }, { body: 'x'.repeat(400) }).map(
      ({ body }) => body.registeredDelivery,
    )
  assert.deepEqual(of('all'), [1, 1, 1])
  assert.deepEqual(of('last'), [0, 0, 1])
  assert.deepEqual(of('none'), [0, 0, 0])
})

test('the campaign and fixed values from the settings are sent as TLVs', () => {
  const names = new Map([['cmp_1', 'C123ABC']])
  const fixedTlvs = [
    { tag: 0x1401, format: 'int2', value: '513' },
    { tag: 0x1402, format: 'hex', value: '00ff' },
    { tag: 0x1403, format: 'text', value: 'us' },
    { tag: 0x1404, format: 'int1', value: '7' },
    { tag: 0x1405, format: 'int4', value: '7' },
  ] as const
  const campaignTlv = { tag: 0x1400, value: 'campaign', format: 'cstring', names } as const
  const settings: Partial<SmppLinkSettings> = { campaignTlv, fixedTlvs, longStyle: 'sar' }
  assert.deepEqual(
    pdus({ ...settings, messageReference: false })[0]!.tlvs.map(({ tag, value }) => [
      tag,
      value.toString('latin1'),
    ]),
    [
      [0x1400, 'C123ABC\0'],
      [0x1401, '\x02\x01'],
      [0x1402, '\x00\xff'],
      [0x1403, 'us'],
      [0x1404, '\x07'],
      [0x1405, '\0\0\0\x07'],
    ],
  )
  const long = pdus(settings, { body: 'x'.repeat(200) })
  assert.equal(long[1]!.tlvs.length, 10)

  const said = (value: 'account' | 'message' | 'campaign') =>
    pdus(
      { campaignTlv: { ...campaignTlv, value, format: 'text' } },
      { campaignId: 'cmp_2' },
    )[0]!.tlvs[0]!.value.toString()
  assert.deepEqual(
    [said('account'), said('message'), said('campaign')],
    ['acc_1', 'msg_1', 'cmp_2'],
  )
})

test('the alphabet is chosen in the link’s order, packed or not', () => {
  const codings = [
    { alphabet: 'latin1', dataCoding: 3 },
    { alphabet: 'ucs2', dataCoding: 8 },
  ] as const
  assert.equal(pdus({ codings }, { body: 'é' })[0]!.body.shortMessage.toString('hex'), 'e9')
  assert.equal(pdus({ codings }, { body: 'Ж' })[0]!.body.dataCoding, 8)
  const packed = [{ alphabet: 'gsm7-packed', dataCoding: 0 }] as const
  assert.equal(
    pdus({ codings: packed }, { body: 'hellohello' })[0]!.body.shortMessage.toString('hex'),
    'e8329bfd4697d9ec37',
  )
})

test('a message that this link cannot send fails with the reason', () => {
  const media = { mediaUrls: ['https://media.test/1.png'] }
  assert.equal(compose({}, media).failed?.errorCode, 1392)
  const codings = [{ alphabet: 'gsm7', dataCoding: 0 }] as const
  assert.match(compose({ codings }, { body: 'Ж' }).failed!.carrierCode!, /no alphabet/)
  const endless = compose({}, { body: 'x'.repeat(50_000) }).failed!
  assert.match(endless.carrierCode!, /at most 255/)
  assert.equal(endless.errorCode, 1375)
})
