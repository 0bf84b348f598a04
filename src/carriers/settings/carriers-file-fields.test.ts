// Every field of a carriers file at its bounds: the smallest and the largest value are accepted, the next ones are
// not, every choice is accepted, and what it becomes in the settings.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { BadSettingsFile } from '../../kit/settings-file/settings-file.js'
import type { SmppLinkSettings } from '../smpp/smpp-settings.js'
import { readCarriers } from './read-carriers.js'

const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-fields-'))
after(() => rmSync(folder, { recursive: true, force: true }))

type Fields = Record<string, unknown>

const ACME: Fields = {
  ...{ name: 'acme', kind: 'smpp', host: 'smpp.acme.example' },
  ...{ systemId: 'us', password: 'secret' },
}
const TWILIO: Fields = {
  ...{ name: 'acme', kind: 'twilio', authToken: 'hush-hush-hush' },
  accountSid: 'AC0123456789abcdef0123456789abcdef',
}

function read(file: Fields) {
  const place = path.join(folder, 'carriers.json')
  writeFileSync(place, JSON.stringify(file))
  const publicUrl = 'https://sms.ours.test'
  return readCarriers({ file: place, allowsSimulator: true, publicUrl, variable: () => null })
}

const readLink = (fields: Fields, link: Fields = ACME) =>
  read({ links: [{ ...link, ...fields }] }).links[0]!
const settingsOf = (fields: Fields) => readLink(fields).settings as unknown as SmppLinkSettings

/** The first problem, or null. */
function problemOf(file: Fields): string | null {
  try {
    read(file)
    return null
  } catch (error) {
    assert.ok(error instanceof BadSettingsFile, String(error))
    return error.problems[0]!
  }
}
const problemIn = (fields: Fields, link: Fields = ACME) =>
  problemOf({ links: [{ ...link, ...fields }] })

/** `a.b` of 7 is { a: { b: 7 } }, and `a[].b` is { a: [{ b: 7 }] }. */
function at(place: string, value: unknown): Fields {
  const names = place.split('.')
  const inner = names.toReversed().reduce<unknown>((whole, name) => {
    return name.endsWith('[]') ? { [name.slice(0, -2)]: [whole] } : { [name]: whole }
  }, value)
  return inner as Fields
}

/** With what the field needs next to it. */
function withRest(place: string, value: unknown, rest: Fields): Fields {
  const fields = at(place, value)
  for (const [name, more] of Object.entries(rest)) {
    const inner = fields[name]
    if (Array.isArray(inner)) Object.assign(inner[0], more)
    else fields[name] = { ...(inner as object), ...(more as object) }
  }
  return fields
}

const long = (length: number) => 'x'.repeat(length)

test('each number is accepted from its minimum to its maximum', () => {
  for (const [place, min, max, rest] of [
    ['port', 1, 65_535],
    ['binds', 1, 50],
    ['window', 1, 2_000],
    ['perSecond', 0.1, 100_000],
    ['responseTimeoutSeconds', 1, 300],
    ['enquireLinkSeconds', 1, 3_600],
    ['bindTimeoutSeconds', 1, 300],
    ['reconnect.firstSeconds', 0.1, 300, { reconnect: { maxSeconds: 3_600 } }],
    ['reconnect.maxSeconds', 0.1, 3_600, { reconnect: { firstSeconds: 0.1 } }],
    ['codings[].dataCoding', 0, 255, { codings: { alphabet: 'gsm7' } }],
    ['source.ton', 0, 7],
    ['source.npi', 0, 31],
    ['destination.ton', 0, 7],
    ['destination.npi', 0, 31],
    ['campaignTlv.tag', 1, 65_535],
    ['fixedTlvs[].tag', 1, 65_535, { fixedTlvs: { value: 'a' } }],
    ['answerNetwork.tag', 1, 65_535, { answerNetwork: { networks: { a: 'att' } } }],
    ['inboundNetwork.tag', 1, 65_535, { inboundNetwork: { networks: { a: 'att' } } }],
    ['inboundIdTag', 1, 65_535],
    ['receiptUtcOffsetMinutes', -840, 840],
    ['settleSeconds', 5, 86_400],
    ['traceMegabytes', 1, 10_000],
    ['drainSeconds', 0, 3_600],
    ['failbackSeconds', 0, 3_600],
  ] as [string, number, number, Fields?][]) {
    const step = Number.isInteger(min) ? 1 : 0.05
    for (const [value, isGood] of [
      [min - step, false],
      [min, true],
      [max, true],
      [max + 1, false],
    ] as const) {
      const problem = problemIn(withRest(place, value, rest ?? {}))
      assert.equal(problem === null, isGood, `${place}: ${value}: ${problem}`)
    }
  }
})

test('each text is accepted from its shortest to its longest', () => {
  for (const [place, min, max, rest] of [
    ['host', 1, 253],
    ['systemId', 1, 64],
    ['password', 0, 64],
    ['systemType', 0, 12],
    ['addressRange', 0, 40],
    ['serviceType', 0, 5],
    ['traceFile', 1, 1_000],
    ['tls.serverName', 1, 253],
    ['campaignTlv.names.cmp_1', 1, 255, { campaignTlv: { tag: 1 } }],
    ['fixedTlvs[].value', 0, 255, { fixedTlvs: { tag: 1 } }],
    ['name', 1, 40],
  ] as [string, number, number, Fields?][]) {
    for (const [length, isGood] of [
      [min - 1, false],
      [min, true],
      [max, true],
      [max + 1, false],
    ] as const) {
      if (length < 0) continue
      const problem = problemIn(withRest(place, long(length), rest ?? {}))
      assert.equal(problem === null, isGood, `${place}: ${length} characters: ${problem}`)
    }
  }
  for (const field of ['caFile', 'certFile', 'keyFile']) {
    const other = field === 'certFile' ? { keyFile: 'k' } : field === 'keyFile' && { certFile: 'c' }
    for (const [length, isRead] of [
      [0, false],
      [1, true],
      [200, true],
      [1_001, false],
    ] as const) {
      const problem = problemIn({ tls: { ...other, [field]: long(length) } })!
      assert.equal(/cannot be read|ENAMETOOLONG|too long/.test(problem), isRead, problem)
    }
  }
})

test('each choice is accepted as written, and nothing else is', () => {
  const forms = ['auto', 'as_written', 'decimal', 'hex']
  for (const [place, choices, rest] of [
    ['bindMode', ['transceiver', 'transmitter_receiver']],
    ['longStyle', ['udh8', 'udh16', 'sar', 'payload']],
    ['registeredDelivery', ['all', 'last', 'none']],
    ['validity', ['relative', 'absolute', 'none']],
    ['answerIdForm', forms],
    ['receiptIdForm', forms],
    ['source.format', ['digits', 'plus', 'national']],
    ['destination.format', ['digits', 'plus', 'national']],
    ['tls.minVersion', ['TLSv1.2', 'TLSv1.3']],
    ['campaignTlv.value', ['campaign', 'account', 'message'], { campaignTlv: { tag: 1 } }],
    [
      'campaignTlv.format',
      ['cstring', 'text', 'int1', 'int2', 'int4', 'hex'],
      { campaignTlv: { tag: 1 } },
    ],
    [
      'fixedTlvs[].format',
      ['cstring', 'text', 'int1', 'int2', 'int4', 'hex'],
      { fixedTlvs: { tag: 1, value: '12' } },
    ],
    [
      'codings[].alphabet',
      ['gsm7', 'gsm7-packed', 'ascii', 'latin1', 'ucs2'],
      { codings: { dataCoding: 0 } },
    ],
    ['unknown', ['settle', 'resend']],
    ['answerNetwork.networks.x', ['att', 'tmo', 'vzw'], { answerNetwork: { tag: 1 } }],
  ] as [string, string[], Fields?][]) {
    const [name, inner] = place.replace('[]', '').split('.') as [keyof SmppLinkSettings, string]
    for (const choice of choices) {
      const fields = withRest(place, choice, rest ?? {})
      assert.equal(problemIn(fields), null, `${place}: ${choice}`)
      if (name === ('unknown' as string) || inner === 'networks') continue
      const found = settingsOf(fields)[name] as unknown
      const [entry] = Array.isArray(found) ? found : [found]
      assert.equal(inner ? (entry as Fields)[inner] : entry, choice, place)
    }
    for (const wrong of ['', 'other']) {
      const problem = problemIn(withRest(place, wrong, rest ?? {}))
      assert.match(problem!, /must be one of/, `${place}: "${wrong}"`)
    }
  }
})

test('each list has its shortest and its longest length', () => {
  const coding = { alphabet: 'gsm7', dataCoding: 0 }
  const tlvs = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ tag: i + 1, value: 'a' }))
  for (const [fields, isGood] of [
    [{ codings: [] }, false],
    [{ codings: Array(10).fill(coding) }, true],
    [{ codings: Array(11).fill(coding) }, false],
    [{ fixedTlvs: [] }, true],
    [{ fixedTlvs: tlvs(50) }, true],
    [{ fixedTlvs: tlvs(51) }, false],
  ] as const) {
    assert.equal(problemIn(fields) === null, isGood, JSON.stringify(fields).slice(0, 60))
  }
})

test('the common fields of providers have their bounds, too', () => {
  for (const [field, min, max] of [
    ['concurrency', 1, 500],
    ['responseTimeoutSeconds', 1, 40],
    ['lookSeconds', 1, 3_600],
    ['settleSeconds', 1, 3_600],
    ['perSecond', 0.1, 100_000],
  ] as const) {
    for (const [value, isGood] of [
      [min - 0.05, false],
      [min, true],
      [max, true],
      [max + 1, false],
    ] as const) {
      const problem = problemIn({ [field]: value }, TWILIO)
      assert.equal(problem === null, isGood, `${field}: ${value}: ${problem}`)
    }
  }
  const { settings, isConnected, openNumbers } = readLink({}, TWILIO)
  assert.deepEqual([isConnected, openNumbers], [false, undefined])
  const { concurrency, responseTimeoutSeconds, lookSeconds, settleSeconds, shared, lookUps } =
    settings as unknown as Fields
  assert.deepEqual(
    { concurrency, responseTimeoutSeconds, lookSeconds, settleSeconds, shared, lookUps },
    {
      ...{ concurrency: 20, responseTimeoutSeconds: 10, lookSeconds: 30, settleSeconds: 120 },
      ...{ shared: false, lookUps: false },
    },
  )
})

test('a rate that processes share is at least one per second', () => {
  for (const link of [ACME, TWILIO]) {
    assert.equal(problemIn({ shared: true, perSecond: 1 }, link), null)
    for (const fields of [{ shared: true, perSecond: 0.9 }, { shared: true }]) {
      assert.match(problemIn(fields, link)!, /shared needs perSecond, 1 or more/)
    }
    assert.equal(problemIn({ shared: false, perSecond: 0.9 }, link), null)
  }
})

test('the old name of unknown is reported with the line that replaces it', () => {
  const warningsOf = (fields: Fields) =>
    read({ links: [{ ...ACME, ...fields, password: '' }] }).warnings.join()
  for (const [fields, instead] of [
    [{ repeatUnknown: true }, 'resend'],
    [{ repeatUnknown: false }, 'settle'],
    [{ repeatUnknown: true, unknown: 'settle' }, 'settle'],
  ] as const) {
    assert.match(warningsOf(fields), new RegExp(`write "unknown: ${instead}"`))
  }
  assert.equal(warningsOf({ unknown: 'resend' }), '')
})
