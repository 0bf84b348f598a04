// An SMPP link of a carriers file: what its fields become, which TLVs contradict each other, and its certificates.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { selfSigned } from '../../../test/self-signed.js'
import { BadSettingsFile } from '../../kit/settings-file/settings-file.js'
import type { Carrier } from '../../messages/carrier-port.js'
import { USUAL_CODINGS } from '../../smpp/text/data-coding.js'
import { type SmppLinkSettings, USUAL_LIMITS } from '../smpp/smpp-settings.js'
import { readCarriers } from './read-carriers.js'

const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-smpp-kind-'))
after(() => rmSync(folder, { recursive: true, force: true }))

type Fields = Record<string, unknown>

const ACME: Fields = {
  ...{ name: 'acme', kind: 'smpp', host: 'smpp.acme.example' },
  ...{ systemId: 'us', password: 'secret' },
}

function readLink(fields: Fields) {
  const file = path.join(folder, 'carriers.json')
  writeFileSync(file, JSON.stringify({ links: [{ ...ACME, ...fields }] }))
  const publicUrl = 'https://sms.ours.test'
  return readCarriers({ file, allowsSimulator: true, publicUrl, variable: () => null }).links[0]!
}

const settingsOf = (fields: Fields) => readLink(fields).settings as unknown as SmppLinkSettings

/** Without the file and line. */
function problemsOf(fields: Fields): string[] {
  try {
    readLink(fields)
    return []
  } catch (error) {
    assert.ok(error instanceof BadSettingsFile, String(error))
    return error.problems.map((problem) => problem.replace(/^.*?links\[0\]\./, ''))
  }
}

test('every field is in the settings, with times in milliseconds', () => {
  const given = {
    ...{ host: '10.0.0.7', port: 3_550, systemType: 'SMPP', addressRange: '^1415' },
    ...{ bindMode: 'transmitter_receiver', binds: 3, window: 20, perSecond: 4, shared: true },
    ...{ longStyle: 'sar', serviceType: 'CMT', registeredDelivery: 'last', validity: 'absolute' },
    ...{ messageReference: false, answerIdForm: 'hex', receiptIdForm: 'decimal' },
    ...{ receiptUtcOffsetMinutes: -300, settleSeconds: 7, inboundIdTag: 0x1402 },
    codings: [{ alphabet: 'ucs2', dataCoding: 8 }],
  }
  const settings = settingsOf({
    ...given,
    ...{ responseTimeoutSeconds: 1.5, enquireLinkSeconds: 2, bindTimeoutSeconds: 3 },
    reconnect: { firstSeconds: 0.1, maxSeconds: 4 },
    source: { ton: 5, npi: 0, format: 'plus' },
    destination: { format: 'national' },
    campaignTlv: { tag: 0x1400, value: 'account', format: 'text', names: { cmp_1: 'C1' } },
    fixedTlvs: [{ tag: 0x1401, format: 'int1', value: '7' }],
    carrierCodes: { statuses: { '0x456': 'sent', 1111: 1370 }, receiptErrors: { 470: 1380 } },
    answerNetwork: { tag: 0x1403, networks: { a: 'att' } },
    inboundNetwork: { tag: 0x1404, networks: { t: 'tmo', v: 'vzw' } },
    unknown: 'resend',
  })
  assert.deepEqual(settings, {
    ...{ name: 'acme', systemId: 'us', password: 'secret', tls: null },
    ...given,
    ...{ responseTimeoutMs: 1_500, enquireLinkMs: 2_000, bindTimeoutMs: 3_000 },
    reconnect: { firstMs: 100, maxMs: 4_000 },
    source: { ton: 5, npi: 0, format: 'plus' },
    destination: { ton: null, npi: null, format: 'national' },
    campaignTlv: {
      ...{ tag: 0x1400, value: 'account', format: 'text' },
      names: new Map([['cmp_1', 'C1']]),
    },
    fixedTlvs: [{ tag: 0x1401, format: 'int1', value: '7' }],
    carrierCodes: {
      statuses: new Map<number, unknown>([
        [1111, 1370],
        [0x456, 'sent'],
      ]),
      receiptErrors: new Map([['470', 1380]]),
    },
    answerNetwork: { tag: 0x1403, networks: new Map([['a', 'att']]) },
    inboundNetwork: {
      tag: 0x1404,
      networks: new Map([
        ['t', 'tmo'],
        ['v', 'vzw'],
      ]),
    },
    unknown: { mayRepeat: true },
  })
})

test('a campaign TLV without names sends our IDs as text with a NUL', () => {
  assert.deepEqual(settingsOf({ campaignTlv: { tag: 5 } }).campaignTlv, {
    ...{ tag: 5, value: 'campaign', format: 'cstring' },
    names: new Map(),
  })
  const { fixedTlvs } = settingsOf({ fixedTlvs: [{ tag: 5, value: '' }] })
  assert.deepEqual(fixedTlvs, [{ tag: 5, format: 'cstring', value: '' }])
})

test('a changed trace is not a changed link: the running link gets the new file and size', async () => {
  const traced = readLink({ traceFile: 'a.pcap', traceMegabytes: 2 })
  assert.deepEqual(traced.settings, readLink({}).settings)
  const traces: unknown[] = []
  const carrier = { traceTo: async (...given: unknown[]) => void traces.push(given) }
  await traced.tune!(carrier as unknown as Carrier)
  await readLink({}).tune!(carrier as unknown as Carrier)
  await traced.tune!({} as Carrier)
  const mebibyte = 1_048_576
  assert.deepEqual(traces, [
    ['a.pcap', 2 * mebibyte],
    [null, 100 * mebibyte],
  ])
})

test('each tag is sent once, and every second use of it is reported', () => {
  const tag = 0x20
  assert.deepEqual(
    problemsOf({
      campaignTlv: { tag },
      fixedTlvs: [
        { tag, value: 'a' },
        { tag, value: 'b' },
      ],
    }),
    [
      'fixedTlvs[0].tag is 0x0020, as campaignTlv is: each tag goes out once.',
      'fixedTlvs[1].tag is 0x0020, as fixedTlvs is: each tag goes out once.',
    ],
  )
  const different = { campaignTlv: { tag }, fixedTlvs: [{ tag: 0x21, value: 'a' }] }
  assert.deepEqual(problemsOf(different), [])
})

test('a TLV value fits its format', () => {
  const number = (max: number, format: string) =>
    `must be a whole number from 0 to ${max} in quotes, by its format ${format}.`
  const hex = 'must be pairs of hex digits, by its format hex.'
  for (const [format, value, problem] of [
    ['int1', '0', null],
    ['int1', '255', null],
    ['int1', '256', number(255, 'int1')],
    ['int2', '65535', null],
    ['int2', '65536', number(65_535, 'int2')],
    ['int4', '4294967295', null],
    ['int4', '4294967296', number(4_294_967_295, 'int4')],
    ['int4', '-1', number(4_294_967_295, 'int4')],
    ['int4', '1.5', number(4_294_967_295, 'int4')],
    ['int4', '', number(4_294_967_295, 'int4')],
    ['int4', '00000000001', number(4_294_967_295, 'int4')], // eleven digits
    ['hex', '', null],
    ['hex', '00fF', null],
    ['hex', '0', hex],
    ['hex', 'zz', hex],
    ['text', 'anything', null],
    ['cstring', '', null],
  ] as const) {
    const fixed = problemsOf({ fixedTlvs: [{ tag: 5, format, value }] })
    assert.deepEqual(fixed, problem ? [`fixedTlvs[0].value ${problem}`] : [], `${format} ${value}`)
    if (value === '') continue
    const named = problemsOf({ campaignTlv: { tag: 5, format, names: { cmp_1: value } } })
    const expected = problem ? [`campaignTlv.names.cmp_1 ${problem}`] : []
    assert.deepEqual(named, expected, `${format} ${value} as a name`)
  }
})

test('the longest reconnect delay is not shorter than the first', () => {
  assert.deepEqual(problemsOf({ reconnect: { firstSeconds: 2, maxSeconds: 2 } }), [])
  assert.deepEqual(problemsOf({ reconnect: { firstSeconds: 2, maxSeconds: 1.5 } }), [
    'reconnect.maxSeconds must be at least firstSeconds (2), not 1.5.',
  ])
})

test('TLS settings contain the certificates, and null for what is missing', () => {
  const { cert, key } = selfSigned('smsc.test')
  writeFileSync(path.join(folder, 'cert.pem'), cert)
  writeFileSync(path.join(folder, 'key.pem'), key)
  writeFileSync(path.join(folder, 'broken.pem'), 'not PEM')
  const usual = { ca: null, serverName: null, minVersion: 'TLSv1.2', cert: null, key: null }
  assert.equal(settingsOf({ tls: false }).tls, null)
  assert.deepEqual(settingsOf({ tls: true }).tls, usual)
  const own = { certFile: 'cert.pem', keyFile: 'key.pem' }
  const all = { caFile: 'cert.pem', serverName: 'smsc.test', minVersion: 'TLSv1.3', ...own }
  assert.deepEqual(settingsOf({ tls: all }).tls, {
    ...{ ca: cert, serverName: 'smsc.test', minVersion: 'TLSv1.3', cert, key },
  })
  for (const [tls, problems] of [
    [{ certFile: 'cert.pem' }, ['tls.certFile needs keyFile too.']],
    [{ keyFile: 'key.pem' }, ['tls.keyFile needs certFile too.']],
    [{ caFile: 'broken.pem' }, ['tls.caFile must name a certificate in PEM.']],
    [{ caFile: 'key.pem' }, ['tls.caFile must name a certificate in PEM.']],
    [{ ...own, keyFile: 'cert.pem' }, ['tls.keyFile must name a private key in PEM.']],
    [{ ...own, certFile: 'broken.pem' }, ['tls.certFile must name a certificate in PEM.']],
  ] as const) {
    assert.deepEqual(problemsOf({ tls }), problems, JSON.stringify(tls))
  }
  assert.match(problemsOf({ tls: { caFile: 'gone.pem' } })[0]!, /^tls\.caFile cannot be read/)
})

test('a short file leaves the rest to one transceiver with a window of ten, and the usual coding', async () => {
  const link = readLink({})
  assert.deepEqual(link.settings, {
    ...{ name: 'acme', host: 'smpp.acme.example', port: 2775, tls: null },
    ...{ systemId: 'us', password: 'secret', systemType: '', addressRange: '' },
    ...{ bindMode: 'transceiver', binds: 1, window: 10, perSecond: null, shared: false },
    ...{ responseTimeoutMs: 30_000, enquireLinkMs: 30_000, bindTimeoutMs: 10_000 },
    reconnect: { firstMs: 1_000, maxMs: 60_000 },
    codings: USUAL_CODINGS,
    longStyle: 'udh8',
    source: { ton: null, npi: null, format: 'digits' },
    destination: { ton: null, npi: null, format: 'digits' },
    ...{ serviceType: '', registeredDelivery: 'all', validity: 'relative' },
    ...{ campaignTlv: null, fixedTlvs: [], messageReference: true },
    ...{ answerIdForm: 'auto', receiptIdForm: 'auto', receiptUtcOffsetMinutes: 0 },
    carrierCodes: { statuses: new Map(), receiptErrors: new Map() },
    ...{ answerNetwork: null, inboundNetwork: null, inboundIdTag: null },
    ...{ settleSeconds: 120, unknown: { mayRepeat: false } },
  })
})

test('a link waits 20 seconds for its turn and 42 for all responses, by default', () => {
  assert.deepEqual(USUAL_LIMITS, { waitMaxMs: 20_000, takeMaxMs: 42_000, pollEveryMs: 1_000 })
})
