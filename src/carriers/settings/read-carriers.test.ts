// Carriers files as people write them: defaults, errors with their lines, and secrets that stay secret.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { BadSettingsFile } from '../../kit/settings-file/settings-file.js'
import { USUAL_SMPP } from '../smpp/smpp-settings.js'
import { CarriersFile, LinkFields } from './carrier-settings.js'
import { LINK_KINDS } from './link-kinds.js'
import { readCarriers } from './read-carriers.js'

const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-carriers-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const PUBLIC_URL = 'https://sms.ours.test'
const VARIABLES: Record<string, string> = {
  ACME_SYSTEM_ID: 'longcode',
  ACME_PASSWORD: 'hush-hush',
  BACKUP_PASSWORD: 'hush2',
  ACME_PORT: '3550',
  TELNYX_KEY: 'KEY01',
  TELNYX_PUBLIC_KEY: Buffer.alloc(32, 7).toString('base64'),
  BANDWIDTH_USER: 'user',
  BANDWIDTH_PASSWORD: 'hush3',
  BANDWIDTH_CALLBACK_PASSWORD: 'hush4hush4hush4',
  TWILIO_AUTH_TOKEN: 'hush5',
}

/** `unset`: the value of variables that are not in the list above. */
function read(
  text: string,
  { name = 'carriers.yaml', allowsSimulator = true, unset = null as string | null } = {},
) {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  const variable = (name: string) => VARIABLES[name] ?? unset
  return readCarriers({ file, allowsSimulator, publicUrl: PUBLIC_URL, variable })
}

/** Without the folder. */
function problemsOf(text: string, options?: Parameters<typeof read>[1]): string[] {
  try {
    read(text, options)
  } catch (error) {
    assert.ok(error instanceof BadSettingsFile, String(error))
    assert.equal(error.message, error.problems[0])
    return error.problems.map((problem) => problem.replace(`${folder}${path.sep}`, ''))
  }
  return []
}

const ACME = `links:
  - name: acme
    kind: smpp
    host: smpp.acme.example
    systemId: longcode
    password: \${ACME_PASSWORD}
`

test('a short file is enough, and omitted settings have defaults', () => {
  const { links, routes, networks, warnings } = read(ACME)
  // A changed trace does not replace the link: it is switched while the link keeps running.
  const { traceFile, traceMaxBytes, ...usual } = USUAL_SMPP
  assert.deepEqual(links[0]!.settings, {
    ...usual,
    carrierCodes: { statuses: new Map(), receiptErrors: new Map() },
    name: 'acme',
    host: 'smpp.acme.example',
    port: 2775,
    systemId: 'longcode',
    password: 'hush-hush',
  })
  const { name, kind, isConnected, mayOverlap, drainMs, failbackMs } = links[0]!
  assert.deepEqual(
    { name, kind, isConnected, mayOverlap, drainMs, failbackMs },
    {
      name: 'acme',
      kind: 'smpp',
      isConnected: true,
      mayOverlap: false,
      drainMs: 30_000,
      failbackMs: 10_000,
    },
  )
  const any = { networks: null, prefixes: null, campaigns: null, types: null }
  const byAcme = { links: [{ link: 'acme', share: 1 }], failover: [], onSlowDown: 'wait' }
  assert.deepEqual(routes, [{ name: 'route-1', ...any, ...byAcme }])
  assert.deepEqual(networks, { prefixes: new Map(), learnedMs: 30 * 24 * 60 * 60 * 1000 })
  assert.deepEqual(warnings, [])
})

test('a byte order mark and CRLF line endings are accepted', () => {
  const written = `\uFEFF${ACME.replaceAll('\n', '\r\n')}`
  assert.deepEqual(read(written).links[0]!.settings, read(ACME).links[0]!.settings)
  assert.match(problemsOf(`${written}    port: 0\r\n`)[0]!, /^carriers.yaml:7 /)
})

test('JSON gives the same settings as YAML', () => {
  const json = JSON.stringify({
    links: [
      {
        name: 'acme',
        kind: 'smpp',
        host: 'smpp.acme.example',
        systemId: 'longcode',
        password: `\${ACME_PASSWORD}`,
      },
    ],
  })
  assert.deepEqual(
    read(json, { name: 'carriers.json' }).links[0]!.settings,
    read(ACME).links[0]!.settings,
  )
})

test('the example file is valid and has every option', () => {
  const text = readFileSync('carriers.example.yaml', 'utf8')
  const { links, routes, networks, warnings } = read(text, { unset: 'hush-hush-hush' })
  assert.deepEqual(warnings, [])
  assert.deepEqual(routes[2]!.links, [
    { link: 'acme', share: 70 },
    { link: 'backup', share: 30 },
  ])
  assert.equal(networks.prefixes.get('+1415'), 'att')
  const { carrierCodes } = links[0]!.settings as unknown as typeof USUAL_SMPP
  assert.deepEqual(
    carrierCodes.statuses,
    new Map<number, unknown>([
      [0x456, 1370],
      [0x457, 'slow_down'],
    ]),
  )
  const kinds = Object.keys(LINK_KINDS)
  assert.deepEqual(
    new Set(links.map(({ kind }) => kind)),
    new Set(kinds),
    'add a link of each kind',
  )
  const named = /kind: smpp # required: (.+)/.exec(text)![1]!.split(/,? or |, /)
  assert.deepEqual(
    named,
    kinds,
    'name each kind, in this order, in the comment at the first link’s `kind`',
  )
  const missingIn = (part: string, schema: object) =>
    namesIn(schema as Schema).filter((name) => !new RegExp(`\\b${name}:`).test(part))
  for (const schema of [CarriersFile, LinkFields]) assert.deepEqual(missingIn(text, schema), [])
  const parts = text.split(/^ {2}(?=- name: )/m)
  const inSmpp = new Set(namesIn(LINK_KINDS.smpp!.fields as object as Schema)) // explained there
  for (const [kind, { fields }] of Object.entries(LINK_KINDS)) {
    const own = parts.filter((part) => part.includes(`\n    kind: ${kind}`)).join('')
    const missing = missingIn(own, fields).filter((name) => kind === 'smpp' || !inSmpp.has(name))
    assert.deepEqual(missing, [], `add these fields to a link of the kind ${kind}`)
  }
})

test('every example in docs/carriers.md is valid', () => {
  const text = readFileSync('docs/carriers.md', 'utf8')
  const blocks = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, block]) => block!)
  assert.ok(blocks.length >= 2)
  const backup = ACME.slice(ACME.indexOf('\n') + 1).replace('acme', 'backup')
  for (const block of blocks) {
    const whole = /^links:/m.test(block) ? block : `${ACME}${backup}${block}`
    assert.deepEqual(problemsOf(whole), [], block)
  }
})

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
}

function namesIn({ properties = {}, items }: Schema): string[] {
  const inner = Object.entries(properties).flatMap(([name, field]) => [name, ...namesIn(field)])
  return items ? [...inner, ...namesIn(items)] : inner
}

test('every error has its line, and the bounds or the nearest name', () => {
  const cases: [string, RegExp][] = [
    [
      `${ACME}    prot: 2776`,
      /^carriers.yaml:7 links\[0\].prot is not a valid setting. Did you mean port\?$/,
    ],
    [`${ACME}    port: 0`, /:7 links\[0\].port must be a whole number from 1 to 65535, not 0\.$/],
    [
      `${ACME}    window: many`,
      /:7 links\[0\].window must be a whole number from 1 to 2000, not "many"\.$/,
    ],
    [
      `${ACME}    perSecond: 0`,
      /:7 links\[0\].perSecond must be a number from 0.1 to 100000, not 0\.$/,
    ],
    [
      `${ACME}    shared: true`,
      /:7 links\[0\].shared needs perSecond, 1 or more: that is what processes share/,
    ],
    [
      `links:
  - name: acme
    kind: twilio
    accountSid: AC0123456789abcdef0123456789abcdef
    authToken: x
    perSecond: 0.5
    shared: true`,
      /:7 links\[0\].shared needs perSecond, 1 or more: that is what processes share/,
    ],
    [
      `${ACME}    repeatUnknown: maybe`,
      /:7 links\[0\].repeatUnknown must be true or false, not "maybe"\.$/,
    ],
    [
      `${ACME}    unknown: repeat`,
      /:7 links\[0\].unknown must be one of settle, resend, not "repeat"\.$/,
    ],
    [
      `${ACME}    unknownByUsecase:\n      2fa: resend`,
      /links\[0\].unknownByUsecase.* must be a use case: 2FA, .*MIXED/,
    ],
    [
      `${ACME}    bindMode: both`,
      /:7 links\[0\].bindMode must be one of transceiver, transmitter_receiver, not "both"\.$/,
    ],
    [
      `${ACME}    systemType: 012`,
      /:7 links\[0\].systemType must be a text: put it in quotes, not 12\.$/,
    ],
    [`${ACME}    codings: gsm7`, /:7 links\[0\].codings must be a list\.$/],
    [`${ACME}    reconnect: 5`, /:7 links\[0\].reconnect must be a map of names and values\.$/],
    [
      `${ACME}    reconnect: { firstSeconds: 9, maxSeconds: 2 }`,
      /:7 links\[0\].reconnect.maxSeconds must be at least firstSeconds \(9\), not 2\.$/,
    ],
    [
      `${ACME}    fixedTlvs:\n      - { tag: 0x1401, value: a }\n      - { tag: 0x1401, value: b }`,
      /:9 links\[0\].fixedTlvs\[1\].tag is 0x1401, as fixedTlvs is: each tag goes out once\.$/,
    ],
    [
      `${ACME}    campaignTlv: { tag: 5, format: int1, names: { cmp_1: "256" } }`,
      /:7 links\[0\].campaignTlv.names.cmp_1 must be a whole number from 0 to 255 in quotes, by its format int1\.$/,
    ],
    [
      `${ACME}    fixedTlvs: [{ tag: 5, format: hex, value: abc }]`,
      /:7 .*must be pairs of hex digits/,
    ],
    [
      `${ACME}    carrierCodes: { statuses: { 0x456: 9999 } }`,
      /:7 links\[0\].carrierCodes.statuses\[1110\] must be one of sent, slow_down, down, 1320, .*, not 9999\.$/,
    ],
    [`${ACME}    tls: { certFile: a.pem }`, /:7 links\[0\].tls.certFile needs keyFile too\.$/],
    [`${ACME}    tls: { caFile: gone.pem }`, /:7 links\[0\].tls.caFile cannot be read \(ENOENT\)/],
    [
      `${ACME}  - name: acme\n    kind: simulator`,
      /:7 links\[1\].name is "acme" twice: choose another\.$/,
    ],
    [
      `${ACME}  - name: other\n    kind: smp`,
      new RegExp(
        `:8 links\\[1\\].kind must be one of ${Object.keys(LINK_KINDS).join(', ')}, not "smp"\\.$`,
      ),
    ],
    [`${ACME}  - name: other`, /:7 links\[1\] needs kind\.$/],
    ['links:\n  - name: acme\n    kind: smpp', /:2 links\[0\] needs host\.$/],
    ['links: []', /:1 links must have at least 1 entry\.$/],
    ['routes: []', /:1 needs links\.$/],
    ['- links', /:1 must be a map with links: see carriers.example.yaml\.$/],
    ['', /:1 must be a map with links/],
    [
      `${ACME}routes:\n  - links: [acne]`,
      /:8 routes\[0\].links\[0\] names the link acne, which is not in links: did you mean acme\?$/,
    ],
    [
      `${ACME}routes:\n  - links: [acme]\n    failover: [acme]`,
      /:9 routes\[0\].failover\[0\] names acme a second time: once is enough\.$/,
    ],
    [
      `${ACME}routes:\n  - links: [acme]\n  - { links: [acme], networks: [att] }`,
      /:9 routes\[1\] is never reached: the route before it takes everything\.$/,
    ],
    [
      `${ACME}routes:\n  - links: [acme]\n    shares: { acme: 0 }`,
      /:9 routes\[0\].shares.acme must be a whole number from 1 to 1000000, not 0\.$/,
    ],
    [
      `${ACME}routes:\n  - links: [acme]\n    shares: {}`,
      /:9 routes\[0\].shares needs the share of acme\.$/,
    ],
    [
      `${ACME}routes:\n  - links: [acme]\n    prefixes: [+1415]`,
      /:9 routes\[0\].prefixes\[0\] must be a text: put it in quotes, not 1415\.$/,
    ],
    [
      `${ACME}routes:\n  - links: [acme]\n    campaigns: [cmp_1]`,
      /:9 routes\[0\].campaigns\[0\] must be the id of a campaign: .*, not "cmp_1"\.$/,
    ],
    [`${ACME}---\n${ACME}`, /:7 begins a second document: keep one, and take out the ---\.$/],
    [`${ACME}} hush`, /:7 is not YAML here: Unexpected flow-map-end token in YAML stream\.$/],
    [
      `${ACME}routes:\n  - links: [acme]\n    networks: [verizon]`,
      /:9 routes\[0\].networks\[0\] must be one of att, tmo, vzw, other, not "verizon"\.$/,
    ],
    [
      `${ACME}networks: { prefixes: { abc: att } }`,
      /:7 networks.prefixes.abc must be the start of a number, such as "\+1415", in quotes\.$/,
    ],
    [`${ACME}link: {}`, /:7 link is not a valid setting. Did you mean links\?$/],
    [`${ACME}links: []`, /:7 has a name twice in one place: take one of them out\.$/],
    [`${ACME}    systemType: "open`, /:\d+ is not YAML here: Missing closing "quote\.$/],
    [
      `links: [{ password: \${A} }]`,
      /:1 is not YAML here: inside \{ \} and \[ \] put "\$\{NAME\}" in quotes\.$/,
    ],
  ]
  for (const [text, wanted] of cases)
    assert.match(problemsOf(text)[0] ?? 'nothing wrong', wanted, text)
})

test('all errors of a file are reported in line order', () => {
  const found = problemsOf(`${ACME}    port: 0\n    binds: 99\nroutes:\n  - links: acme`)
  assert.deepEqual(
    found.map((problem) => Number(/:(\d+) /.exec(problem)![1])),
    [7, 8, 10],
  )
})

test('an unset variable is reported with its line, and the value of a set variable is never shown', () => {
  const gone = ACME.replace('ACME_PASSWORD', 'GONE')
  assert.deepEqual(problemsOf(gone), [
    `carriers.yaml:6 links[0].password names \${GONE}, which is not set: set GONE in the environment or in .env.`,
  ])
  assert.match(problemsOf(ACME.replace('ACME_PASSWORD', 'acme'))[0]!, /:6 .*capital letters/)
  const long = { ...VARIABLES }
  VARIABLES.ACME_PASSWORD = 'x'.repeat(65)
  const [problem] = problemsOf(ACME)
  VARIABLES.ACME_PASSWORD = long.ACME_PASSWORD!
  assert.equal(problem, 'carriers.yaml:6 links[0].password must be a text of 0 to 64 characters.')
})

test('a variable can be a number, and $${ is not a variable', () => {
  const { links } = read(`${ACME}    port: \${ACME_PORT}\n    systemType: "$\${x}"`)
  const { port, systemType } = links[0]!.settings as unknown as { port: number; systemType: string }
  assert.deepEqual([port, systemType], [3550, `\${x}`])
})

test('a password in plain text works, with a warning that does not show it', () => {
  const { warnings } = read(ACME.replace(`\${ACME_PASSWORD}`, 'visible'))
  assert.equal(warnings.length, 1)
  assert.match(
    warnings[0]!,
    /:6 links\[0\].password is written in clear: \$\{NAME\} takes it from the environment\.$/,
  )
  assert.ok(!warnings[0]!.includes('visible'))
})

test('a link without a route causes a warning that it only receives', () => {
  const { warnings } = read(`${ACME}  - { name: sim, kind: simulator }\nroutes:\n  - links: [acme]`)
  assert.match(warnings.join(), /:7 links\[1\] \(sim\) is in no route: it only receives\.$/)
})

test('production accepts the simulator only if both settings allow it', () => {
  const text = 'links:\n  - name: sim\n    kind: simulator'
  assert.equal(read(text).links[0]!.kind, 'simulator')
  const [problem] = problemsOf(text, { allowsSimulator: false })
  assert.match(problem!, /:3 links\[0\].kind simulator reports deliveries that never happened/)
})

test('a file that is missing, too large, or expands through aliases is refused', () => {
  const file = path.join(folder, 'gone.yaml')
  assert.throws(
    () => readCarriers({ file, allowsSimulator: true, publicUrl: PUBLIC_URL }),
    /gone.yaml cannot be read \(ENOENT\)/,
  )
  assert.match(problemsOf(`${ACME}#${'x'.repeat(1024 ** 2)}`)[0]!, /more than a megabyte/)
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
  for (const [name, inner] of ['ba', 'cb', 'dc', 'ed', 'fe'].map((pair) => [...pair])) {
    bomb.push(`${name}: &${name} [${Array(9).fill(`*${inner}`).join(', ')}]`)
  }
  assert.match(problemsOf(bomb.join('\n'))[0]!, /aliases/)
})

test('an anchor can hold settings that two links share', () => {
  const { links } = read(`${ACME}    reconnect: &slowly { firstSeconds: 5 }
  - name: beta
    kind: smpp
    host: beta.example
    systemId: x
    password: \${BACKUP_PASSWORD}
    reconnect: *slowly`)
  assert.deepEqual(
    links.map(({ settings }) => (settings as typeof USUAL_SMPP).reconnect),
    Array(2).fill({ firstMs: 5_000, maxMs: 60_000 }),
  )
})

test('unknown can be settle, resend, or per use case, and its old name still works', () => {
  const of = (lines: string) => {
    const { links, warnings } = read(`${ACME}${lines}`)
    const { unknown } = links[0]!.settings as unknown as typeof USUAL_SMPP
    return { unknown, warnings }
  }
  assert.deepEqual(of('').unknown, { mayRepeat: false })
  assert.deepEqual(of('    unknown: resend\n'), { unknown: { mayRepeat: true }, warnings: [] })
  assert.deepEqual(of('    unknownByUsecase: { 2FA: resend, MARKETING: settle }\n').unknown, {
    mayRepeat: false,
    mayRepeatByUsecase: { '2FA': true, MARKETING: false },
  })
  const { unknown, warnings } = of('    repeatUnknown: true\n')
  assert.deepEqual(unknown, { mayRepeat: true })
  assert.equal(warnings.length, 1)
  assert.match(
    warnings[0]!,
    /links\[0\].repeatUnknown is deprecated: remove it and write "unknown: resend"\.$/,
  )
  const both = of('    repeatUnknown: true\n    unknown: settle\n')
  assert.deepEqual(both.unknown, { mayRepeat: false }, 'the new name overrides the old one')
})
