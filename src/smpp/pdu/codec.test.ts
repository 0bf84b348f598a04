// PDUs to bytes and back: reference bytes written by hand from the tables of the specification, round trips of every
// command, and invalid bytes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { COMMAND_NAMES, COMMANDS, type CommandName, responseOf } from './commands.js'
import { decodePdu } from './decode.js'
import { encodePdu } from './encode.js'
import type { Field } from './fields.js'
import { makeFailure, makePdu, type Pdu } from './pdu.js'
import { describeStatus, STATUS, statusName } from './status.js'
import { makeStandardTlv, makeTlv, readTlv, STANDARD_TLVS, standardTlv } from './tlv.js'

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')

test('the hand-written layout of short messages matches the table', () => {
  const values = Object.fromEntries(
    COMMANDS.submit_sm.fields.map(({ name, kind }, i) => {
      const text = String.fromCharCode(97 + i)
      const value = { byte: i + 1, cstring: text, bytes: Buffer.from(text) }[kind]
      return [name, value]
    }),
  )
  const { body } = decodePdu(encodePdu(makePdu('submit_sm', 1, values))).pdu!
  assert.deepEqual(Object.entries(body!), Object.entries(values))
})

const GOLDEN: [bytes: string, pdu: Pdu][] = [
  [
    // SMPP3TEST, secret08, SUBMIT1, version 3.4, international, ISDN, no range.
    `0000002f 00000009 00000000 00000001
     534d50503354455354 00 7365637265743038 00 5355424d495431 00 34 01 01 00`,
    makePdu('bind_transceiver', 1, {
      systemId: 'SMPP3TEST',
      password: 'secret08',
      systemType: 'SUBMIT1',
      interfaceVersion: 0x34,
      addrTon: 1,
      addrNpi: 1,
    }),
  ],
  [
    `0000001c 80000009 00000000 00000001
     534d53433031 00 0210 0001 34`,
    makePdu('bind_transceiver_resp', 1, { systemId: 'SMSC01' }, [
      makeStandardTlv('scInterfaceVersion', 0x34),
    ]),
  ],
  [
    `00000049 00000004 00000000 00000005
     00
     01 01 3134313532303034303030 00
     01 01 3134313535353530313233 00
     00 00 00
     00
     30303030303030313030303030303052 00
     01 00 00 00
     02 4869`,
    makePdu('submit_sm', 5, {
      sourceAddrTon: 1,
      sourceAddrNpi: 1,
      sourceAddr: '14152004000',
      destAddrTon: 1,
      destAddrNpi: 1,
      destinationAddr: '14155550123',
      validityPeriod: '000000010000000R',
      registeredDelivery: 1,
      shortMessage: Buffer.from('Hi'),
    }),
  ],
  [
    '00000013 80000004 00000000 00000005 6131 00',
    makePdu('submit_sm_resp', 5, { messageId: 'a1' }),
  ],
  ['00000010 80000004 00000058 00000005', makeFailure('submit_sm_resp', 5, 0x58)],
  ['00000010 00000015 00000000 7fffffff', makePdu('enquire_link', 0x7fffffff, {})],
  ['00000010 00000006 00000000 00000003', makePdu('unbind', 3, {})],
  [
    `0000002f 00000103 00000000 00000002
     00 00 01 3100 00 01 3200 04 00 00
     001e 0003 396600
     0427 0001 02
     0423 0003 030001`,
    makePdu(
      'data_sm',
      2,
      { sourceAddrNpi: 1, sourceAddr: '1', destAddrNpi: 1, destinationAddr: '2', esmClass: 4 },
      [
        makeStandardTlv('receiptedMessageId', '9f'),
        makeStandardTlv('messageState', 2),
        makeStandardTlv('networkErrorCode', Buffer.from([3, 0, 1])),
      ],
    ),
  ],
  [
    '00000016 80000003 00000000 00000009 616200 00 02 00',
    makePdu('query_sm_resp', 9, { messageId: 'ab', messageState: 2 }),
  ],
  [
    '0000001e 00000102 00000000 0000000a 01 01 3400 05 00 616200 0422 0001 00',
    makePdu(
      'alert_notification',
      10,
      { sourceAddrTon: 1, sourceAddrNpi: 1, sourceAddr: '4', esmeAddrTon: 5, esmeAddr: 'ab' },
      [makeStandardTlv('msAvailabilityStatus', 0)],
    ),
  ],
]

test('PDUs are encoded and decoded as in the specification', () => {
  for (const [bytes, pdu] of GOLDEN) {
    assert.equal(encodePdu(pdu).toString('hex'), hex(bytes).toString('hex'), pdu.command)
    assert.deepEqual(decodePdu(hex(bytes)), { pdu, problem: null })
  }
})

const text = (max: number) =>
  fc
    .uint8Array({ minLength: 0, maxLength: max - 1 })
    .map((bytes) => Buffer.from(bytes.map((byte) => byte || 1)).toString('latin1'))
const bytes = (max: number) => fc.uint8Array({ maxLength: max }).map((value) => Buffer.from(value))

function anyValue({ kind, max }: Field): fc.Arbitrary<unknown> {
  if (kind === 'byte') return fc.nat(255)
  return kind === 'cstring' ? text(max) : bytes(max)
}

const plain = { noNullPrototype: true } as const

function anyPdu(command: CommandName): fc.Arbitrary<Pdu> {
  const fields = COMMANDS[command].fields as readonly Field[]
  const values = Object.fromEntries(fields.map((field) => [field.name, anyValue(field)]))
  const tlv = fc.record({ tag: fc.nat(0xffff), value: bytes(300) }, plain)
  return fc.record(
    {
      command: fc.constant(command),
      status: fc.nat(0x4ff),
      sequence: fc.integer({ min: 0, max: 0xffffffff }),
      body: fc.record(values, plain),
      tlvs: fc.array(tlv, { maxLength: 5 }),
    },
    plain,
  ) as unknown as fc.Arbitrary<Pdu>
}

test('every command survives encoding and decoding, including unknown and repeated TLVs', () => {
  for (const command of COMMAND_NAMES) {
    fc.assert(
      fc.property(anyPdu(command), (pdu) => {
        assert.deepEqual(decodePdu(encodePdu(pdu)), { pdu, problem: null })
      }),
      { numRuns: 100 },
    )
  }
})

test('a truncated PDU is a problem wherever it ends, with the sequence number of its request', () => {
  const whole = encodePdu(makePdu('submit_sm', 77, { shortMessage: Buffer.from('hello') }))
  for (let length = 16; length < whole.length; length++) {
    const frame = Buffer.from(whole.subarray(0, length))
    frame.writeUInt32BE(length, 0)
    const { problem } = decodePdu(frame)
    assert.equal(problem?.status, STATUS.ESME_RINVCMDLEN.code, String(length))
    assert.equal(problem.sequence, 77)
    assert.equal(problem.command, 'submit_sm')
    assert.equal(problem.isResponse, false)
  }
})

test('each problem has the status for the response', () => {
  const submit = encodePdu(makePdu('submit_sm', 1, {}))
  const withTail = (tail: string) => {
    const frame = Buffer.concat([submit, hex(tail)])
    frame.writeUInt32BE(frame.length, 0)
    return frame
  }
  for (const [frame, status] of [
    [hex('00000010 00000099 00000000 00000001'), 'ESME_RINVCMDID'],
    [hex('00000010 80000099 00000000 00000001'), 'ESME_RINVCMDID'],
    [hex('00000011 00000015 00000000 00000001'), 'ESME_RINVCMDLEN'],
    [hex('0000'), 'ESME_RINVCMDLEN'],
    [hex(''), 'ESME_RINVCMDLEN'],
    [withTail('02'), 'ESME_RINVOPTPARSTREAM'],
    [withTail('0424 0005 01'), 'ESME_RINVOPTPARSTREAM'],
    [hex(`00000052 00000004 00000000 00000001 00 0000 ${'31'.repeat(63)}`), 'ESME_RINVCMDLEN'],
    [hex(`00000063 00000004 00000000 00000001 00 0000 ${'31'.repeat(80)}`), 'ESME_RINVSRCADR'],
  ] as const) {
    assert.equal(statusName(decodePdu(frame).problem!.status), status, frame.toString('hex'))
  }
})

test('a response may have no body, and a refusal is decoded whatever follows it', () => {
  for (const [bytes, status, body] of [
    ['00000010 80000004 00000000 00000001', 0, null],
    ['00000010 80000009 0000000e 00000001', 0x0e, null],
    ['00000012 80000004 00000014 00000001 4142', 0x14, null],
    ['00000011 80000004 00000014 00000001 00', 0x14, { messageId: '' }],
  ] as const) {
    const { pdu } = decodePdu(hex(bytes))
    assert.equal(pdu?.status, status)
    assert.deepEqual(pdu.body, body)
  }
  const { problem } = decodePdu(hex('00000012 80000004 00000000 00000008 4142'))
  assert.deepEqual(
    [problem?.isResponse, problem?.command, problem?.sequence],
    [true, 'submit_sm_resp', 8],
  )
})

test('values that do not fit are refused by field name before anything is encoded', () => {
  for (const [fields, name] of [
    [{ serviceType: 'SIXSIX' }, /serviceType/],
    [{ sourceAddr: 'a\0b' }, /sourceAddr/],
    [{ sourceAddr: '€' }, /sourceAddr/],
    [{ dataCoding: 256 }, /dataCoding/],
    [{ shortMessage: Buffer.alloc(256) }, /shortMessage/],
  ] as const) {
    assert.throws(() => encodePdu(makePdu('submit_sm', 1, fields)), name)
  }
  const tlvs = [{ tag: 0x0424, value: Buffer.alloc(0x10000) }]
  assert.throws(() => encodePdu(makePdu('submit_sm', 1, {}, tlvs)), RangeError)
})

test('TLVs are found by name, and a table adds vendor TLVs', () => {
  const vendor = { ...STANDARD_TLVS, campaignId: { tag: 0x1400, type: 'cstring' } } as const
  const tlvs = [makeTlv(vendor, 'campaignId', 'CABC123'), makeStandardTlv('sarMsgRefNum', 0x1234)]
  assert.equal(readTlv(vendor, tlvs, 'campaignId'), 'CABC123')
  assert.equal(standardTlv(tlvs, 'sarMsgRefNum'), 0x1234)
  assert.equal(standardTlv(tlvs, 'messageState'), undefined)
})

test('numbers of unusual width and texts without NUL are decoded, and invalid numbers are not', () => {
  const tlv = (tag: number, bytes: string) => [{ tag, value: hex(bytes) }]
  assert.equal(standardTlv(tlv(0x0427, '0002'), 'messageState'), 2)
  assert.equal(standardTlv(tlv(0x020c, '07'), 'sarMsgRefNum'), 7)
  assert.equal(standardTlv(tlv(0x0427, ''), 'messageState'), undefined)
  assert.equal(standardTlv(tlv(0x0427, '0000000002'), 'messageState'), undefined)
  assert.equal(standardTlv(tlv(0x001e, '6162'), 'receiptedMessageId'), 'ab')
  assert.equal(standardTlv(tlv(0x001e, '61620063'), 'receiptedMessageId'), 'ab')
})

test('no tag, id, or status has two meanings', () => {
  for (const numbers of [
    Object.values(STANDARD_TLVS).map(({ tag }) => tag),
    Object.values(COMMANDS).map(({ id }) => id),
    Object.values(STATUS).map(({ code }) => code),
  ]) {
    assert.equal(new Set<number>(numbers).size, numbers.length)
  }
})

test('each request maps to its response command', () => {
  assert.equal(responseOf('submit_sm'), 'submit_sm_resp')
  assert.equal(responseOf('alert_notification'), null)
  assert.equal(responseOf('outbind'), null)
  assert.equal(responseOf('submit_sm_resp'), null)
  for (const command of COMMAND_NAMES) {
    const response = responseOf(command)
    if (response) assert.equal(COMMANDS[response].id, COMMANDS[command].id + 0x80000000)
  }
})

test('statuses are described in words, including vendor statuses', () => {
  assert.equal(describeStatus(0x58), 'ESME_RTHROTTLED (0x58): More messages than allowed')
  assert.equal(describeStatus(0x410), 'status 0x410 of the other side’s own')
})
