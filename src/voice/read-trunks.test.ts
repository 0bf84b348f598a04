// Trunks files as people write them: defaults, and errors with their lines.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { BadSettingsFile } from '../kit/settings-file/settings-file.js'
import { ANY_FORM } from '../sip/forwarding/number-forms.js'
import { readTrunks, readTrunksOf, TrunksFile } from './read-trunks.js'

const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-trunks-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const PUBLIC_URL = 'https://voice.example.com:8443'
const VARIABLES: Record<string, string> = { SBC: '203.0.113.9', NONSENSE: 'hush hush' }

function read(text: string, publicUrl = PUBLIC_URL) {
  const file = path.join(folder, 'trunks.yaml')
  writeFileSync(file, text)
  const variable = (name: string) => VARIABLES[name] ?? null
  const { trunks, warnings } = readTrunks({ file, publicUrl, variable })
  return { trunks, warnings: warnings.map(withoutFolder) }
}

function problemsOf(text: string): string[] {
  try {
    read(text)
  } catch (error) {
    assert.ok(error instanceof BadSettingsFile, String(error))
    assert.equal(error.message, error.problems[0])
    return error.problems.map(withoutFolder)
  }
  return []
}

function withoutFolder(sentence: string): string {
  return sentence.replace(`${folder}${path.sep}`, '')
}

const ACME = `trunks:
  - name: acme
    sources: [203.0.113.0/28]
    contactHost: sip.acme.example
`

const USUAL = {
  contactTransport: null,
  diversionHost: 'voice.example.com',
  isDiversionEmbedded: false,
  numberForms: ANY_FORM,
  limits: { callsPerSecond: 0, callsPerDay: 0 },
}

test('a short file is enough: omitted settings have defaults', () => {
  const { trunks, warnings } = read(ACME)
  assert.deepEqual(trunks, [
    { ...USUAL, name: 'acme', sources: ['203.0.113.0/28'], contactHost: 'sip.acme.example' },
  ])
  assert.deepEqual(warnings, [])
})

test('every setting is read, including values from the environment', () => {
  const { trunks } = read(`trunks:
  - name: acme
    sources: ["\${SBC}", "2001:db8::/48"]
    contactHost: 192.0.2.1:5080
    contactTransport: tls
    diversionHost: sip.ours.example
    embedDiversion: true
    numbers: { called: [country], prefix: "0099#", written: national }
    limits: { callsPerSecond: 50, callsPerDay: 20000 }
`)
  assert.deepEqual(trunks, [
    {
      name: 'acme',
      sources: ['203.0.113.9', '2001:db8::/48'],
      contactHost: '192.0.2.1:5080',
      contactTransport: 'tls',
      diversionHost: 'sip.ours.example',
      isDiversionEmbedded: true,
      numberForms: { called: ['country'], prefix: '0099#', written: 'national' },
      limits: { callsPerSecond: 50, callsPerDay: 20_000 },
    },
  ])
  const [partly] = read(`${ACME}    numbers: { written: country }\n`).trunks
  assert.deepEqual(partly!.numberForms, { ...ANY_FORM, written: 'country' })
})

test('Diversion uses our public host, or the trunk’s host without one', () => {
  const hostBy = (publicUrl: string) => read(ACME, publicUrl).trunks[0]!.diversionHost
  assert.equal(hostBy('http://sms.example.net'), 'sms.example.net')
  assert.equal(hostBy('http://192.0.2.77:8080'), '192.0.2.77')
  for (const url of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])
    assert.equal(hostBy(url), 'sip.acme.example', url)
})

test('the example file is valid and contains every option', () => {
  const text = readFileSync('trunks.example.yaml', 'utf8')
  assert.deepEqual(
    read(text).trunks.map(({ name }) => name),
    ['acme', 'switch'],
  )
  const { properties } = TrunksFile.properties.trunks.items
  const { numbers, limits } = properties
  for (const name of [properties, numbers.properties, limits.properties].flatMap(Object.keys))
    assert.match(text, new RegExp(`^ +(?:- |# )?${name}:`, 'm'), name)
})

test('every error has its line, and the bounds or the nearest name', () => {
  const cases: [string, RegExp][] = [
    ['- trunks', /^trunks\.yaml:1 must be a map with trunks: see trunks\.example\.yaml\.$/],
    ['trunks: []', /:1 trunks must have at least 1 entry\.$/],
    ['trunk: []', /:1 needs trunks\.$/],
    ['trunks: [', /:1 is not YAML here/],
    [
      ACME.replace('contactHost', 'contacthost'),
      /:4 trunks\[0\]\.contacthost is not a valid setting. Did you mean contactHost\?$/,
    ],
    [
      ACME.replace('    contactHost: sip.acme.example\n', ''),
      /:2 trunks\[0\] needs contactHost\.$/,
    ],
    [ACME.replace('    sources: [203.0.113.0/28]\n', ''), /:2 trunks\[0\] needs sources\.$/],
    [
      ACME.replace('[203.0.113.0/28]', '[]'),
      /:3 trunks\[0\]\.sources must have at least 1 entry\.$/,
    ],
    [ACME.replace('[203.0.113.0/28]', '203.0.113.1'), /:3 trunks\[0\]\.sources must be a list\.$/],
    [
      ACME.replace('203.0.113.0/28', '203.0.113.0/33'),
      /:3 trunks\[0\]\.sources\[0\] must be an address such as 203\.0\.113\.7, or a network such as 203\.0\.113\.0\/24, not "203\.0\.113\.0\/33"\.$/,
    ],
    [ACME.replace('203.0.113.0/28', 'sbc.acme.example'), /sources\[0\] must be an address/],
    [
      ACME.replace('203.0.113.0/28', '203.0.113.1, 203.0.113.1/32'),
      /:3 trunks\[0\]\.sources\[1\] is listed twice\.$/,
    ],
    [
      ACME.replace('acme\n', 'Acme Trunk\n'),
      /:2 trunks\[0\]\.name must be 1 to 40 lowercase letters, digits, - or _, not "Acme Trunk"\.$/,
    ],
    [
      ACME.replace('sip.acme', 'sip:sip.acme'),
      /:4 trunks\[0\]\.contactHost must be a host such as sbc\.example\.com, or a host and a port, without sip:, not "sip:sip\.acme\.example"\.$/,
    ],
    [`${ACME}    diversionHost: a b\n`, /:5 trunks\[0\]\.diversionHost must be a host/],
    [
      `${ACME}    contactTransport: sctp\n`,
      /:5 trunks\[0\]\.contactTransport must be one of udp, tcp, tls, not "sctp"\.$/,
    ],
    [
      `${ACME}    embedDiversion: "yes"\n`,
      /:5 trunks\[0\]\.embedDiversion must be true or false, not "yes"\.$/,
    ],
    [
      `${ACME}    numbers: { called: [e146] }\n`,
      /:5 trunks\[0\]\.numbers\.called\[0\] must be one of e164, country, national, not "e146"\.$/,
    ],
    [
      `${ACME}    numbers: { called: [] }\n`,
      /:5 trunks\[0\]\.numbers\.called must have at least 1 entry\.$/,
    ],
    [
      `${ACME}    numbers: { prefix: 99 }\n`,
      /:5 trunks\[0\]\.numbers\.prefix must be a text: put it in quotes, not 99\.$/,
    ],
    [
      `${ACME}    numbers: { prefix: "a b" }\n`,
      /:5 trunks\[0\]\.numbers\.prefix must be 0 to 20 letters/,
    ],
    [
      `${ACME}    numbers: { writen: e164 }\n`,
      /:5 trunks\[0\]\.numbers\.writen is not a valid setting. Did you mean written\?$/,
    ],
    [
      `${ACME}${ACME.slice(8).replace('203.0.113.0/28', '198.51.100.1')}`,
      /:5 trunks\[1\]\.name "acme" is used twice\. Choose another name\.$/,
    ],
    [
      `${ACME}${ACME.slice(8).replace('name: acme', 'name: beta').replace('0/28', '7/28')}`,
      /:6 trunks\[1\]\.sources\[0\] is already a source of acme\. A source can belong to only one trunk\.$/,
    ],
  ]
  for (const [text, expected] of cases) {
    const problems = problemsOf(text)
    assert.equal(problems.length, /^trunk: |contacthost/.test(text) ? 2 : 1, problems.join('\n'))
    assert.match(problems.at(-1)!, expected)
  }
})

test('all errors of a file are reported in line order', () => {
  const problems = problemsOf(`trunks:
  - name: A
    source: [203.0.113.1]
  - name: beta
    sources: [203.0.113]
    contactHost: a b
    embedDiversion: 7
`)
  assert.deepEqual(
    problems.map((problem) => problem.split(' ', 2).join(' ')),
    [
      'trunks.yaml:2 trunks[0]',
      'trunks.yaml:2 trunks[0].name',
      'trunks.yaml:3 trunks[0].source',
      'trunks.yaml:5 trunks[1].sources[0]',
      'trunks.yaml:6 trunks[1].contactHost',
      'trunks.yaml:7 trunks[1].embedDiversion',
    ],
  )
})

test('values from the environment are not shown, and an unset variable is named', () => {
  const [problem] = problemsOf(ACME.replace('sip.acme.example', `\${NONSENSE}`))
  assert.match(problem!, /:4 trunks\[0\]\.contactHost must be a host/)
  assert.doesNotMatch(problem!, /hush/)
  const [missing] = problemsOf(ACME.replace('sip.acme.example', `\${HOST_OF_ACME}`))
  assert.match(missing!, /:4 trunks\[0\]\.contactHost names \$\{HOST_OF_ACME\}, which is not set/)
})

test('a source that matches everyone works, with a warning', () => {
  const warningsOf = (source: string) => read(ACME.replace('203.0.113.0/28', source)).warnings
  for (const source of ['0.0.0.0/0', '"::/0"']) {
    assert.deepEqual(warningsOf(source), [
      'trunks.yaml:3 trunks[0].sources[0] answers anybody, who can then find out where numbers are forwarded. List only the addresses of the trunk.',
    ])
  }
  assert.match(warningsOf('0.0.0.0/1')[0]!, /answers a large part of the internet/)
  assert.deepEqual(warningsOf('10.0.0.0/8'), [])
})

test('without a file, the sandbox responds only to its own machine, and production to nobody', () => {
  const none = { trunksFile: null, publicUrl: PUBLIC_URL }
  assert.deepEqual(readTrunksOf({ ...none, mode: 'sandbox' }), [
    {
      ...USUAL,
      name: 'sandbox',
      sources: ['127.0.0.0/8', '::1'],
      contactHost: '127.0.0.1:5070',
      diversionHost: '127.0.0.1',
    },
  ])
  assert.deepEqual(readTrunksOf({ ...none, mode: 'production' }), [])
})

test('a missing file is refused in one sentence', () => {
  const trunksFile = path.join(folder, 'nowhere.yaml')
  assert.throws(
    () => readTrunksOf({ mode: 'production', trunksFile, publicUrl: PUBLIC_URL }),
    /nowhere\.yaml cannot be read \(ENOENT\): name a file that is there and may be read\.$/,
  )
})
