// `longcode carrier add …` as operators run it: from a key to a working link, with each provider, and repeated; and
// its errors if something is wrong at the provider or here.

import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually, type TestService } from '../harness.js'
import { bandwidthFace, telnyxFace, twilioFace } from '../providers/faces.js'
import { FakeProvider } from '../providers/fake-provider.js'
import {
  type CommandResult,
  commandStage,
  type Env,
  runCommand,
  temporaryFolder,
} from './run-command.js'

const PUBLIC_URL = 'https://sms.ours.test'
const SID = `AC${'0123456789abcdef'.repeat(2)}`
const NUMBER = '+14152000001'
const PHONE = '+14155550107'
const SECRETS = ['KEY-hush-hush', 'pass-hush-hush', 'tok-hush-hush']

type Kind = 'telnyx' | 'bandwidth' | 'twilio'

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const KINDS: Record<Kind, { env: (url: string) => Env; authorization: string }> = {
  telnyx: {
    env: (url) => ({ TELNYX_KEY: 'KEY-hush-hush', TELNYX_URL: url }),
    authorization: 'Bearer KEY-hush-hush',
  },
  bandwidth: {
    env: (url) => ({
      ...{ BANDWIDTH_ACCOUNT_ID: '55', BANDWIDTH_USER: 'u', BANDWIDTH_PASSWORD: 'pass-hush-hush' },
      ...{ BANDWIDTH_URL: url, BANDWIDTH_DASHBOARD_URL: `${url}/dashboard/api` },
    }),
    authorization: basic('u', 'pass-hush-hush'),
  },
  twilio: {
    env: (url) => ({
      ...{ TWILIO_ACCOUNT_SID: SID, TWILIO_AUTH_TOKEN: 'tok-hush-hush' },
      ...{ TWILIO_URL: url, TWILIO_MESSAGING_URL: url },
    }),
    authorization: basic(SID, 'tok-hush-hush'),
  },
}

interface Stage {
  fake: FakeProvider
  /** The callback endpoint; by default it accepts everything and does nothing. */
  called: { app: Pick<TestService['app'], 'inject'> | null }
  file: string
  env: Env
  add: (...args: string[]) => Promise<CommandResult>
  text: () => string
}

/** An account with one number, and a folder for the carriers file. No service runs. */
async function accountAt(t: TestContext, kind: Kind): Promise<Stage> {
  const face = {
    telnyx: telnyxFace,
    bandwidth: () => bandwidthFace('cu', 'cp-hush-hush'),
    twilio: () => twilioFace('tok-hush-hush'),
  }[kind]()
  const called: Stage['called'] = { app: null }
  const base = `/carrier/${kind}`
  const fake = new FakeProvider(face, `${PUBLIC_URL}${base}`, () => async (place, call) => {
    const url = `${base}${place === '/' ? '' : place}`
    const headers = call.headers as Record<string, string>
    const reply = await called.app?.inject({ method: 'POST', url, headers, payload: call.body })
    return { status: reply?.statusCode ?? 200 }
  })
  await fake.start()
  t.after(() => fake.stop())
  fake.account.authorization = KINDS[kind].authorization
  if ('publicKey' in face) fake.account.publicKey = String(face.publicKey)
  fake.numbers.purchased.set(NUMBER, {
    id: `PN${'1'.repeat(32)}`,
    phoneNumber: NUMBER,
    profileId: null,
    forwardsTo: null,
  })
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'carriers.yaml')
  const env = {
    ...KINDS[kind].env(fake.url),
    ...{ LONGCODE_CARRIERS: file, LONGCODE_PUBLIC_URL: PUBLIC_URL },
    LONGCODE_DATA: path.join(folder, 'data'),
  }
  const add = async (...args: string[]) => {
    const result = await runCommand(['carrier', 'add', kind, ...args], env)
    for (const secret of SECRETS) assert.ok(!`${result.out}${result.err}`.includes(secret))
    return result
  }
  return { fake, called, file, env, add, text: () => readFileSync(file, 'utf8') }
}

const linesOf = ({ out }: CommandResult) =>
  out
    .split('\n')
    .flatMap((line) => /^(ok|plan|note|FAIL) +(\w+)/.exec(line)?.slice(1, 3).join(' ') ?? [])

const ALL = [
  'ok key',
  'ok callbacks',
  'ok container',
  'ok numbers',
  'ok file',
  'ok check',
  'note reload',
]

for (const kind of ['telnyx', 'bandwidth', 'twilio'] as const) {
  test(`${kind}: carrier add sets up a link and delivers a test message, and a second run changes nothing`, async (t) => {
    const { fake, file, add, env, text } = await accountAt(t, kind)
    fake.account.registered.add(NUMBER)
    const more = kind === 'bandwidth' ? ['--site-id', '1', '--location-id', '22'] : []
    const first = await add('--number', NUMBER, '--test-to', PHONE, ...more)
    assert.equal(first.code, 0, first.err + first.out)
    assert.deepEqual([...new Set(linesOf(first))], [...ALL, 'ok test', 'note receipt'])
    assert.match(first.out, /test +\+14152000001 → \+14155550107: delivered\./i)
    assert.deepEqual([fake.taken[0]!.from, fake.taken[0]!.to], [NUMBER, PHONE])
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const [[id, made]] = [...fake.account.containers] as [[string, Record<string, string>]]
    assert.equal(made.name ?? made.AppName ?? made.FriendlyName, `longcode ${kind}`)
    const webhook = made.webhook_url ?? made.InboundCallbackUrl ?? made.InboundRequestUrl
    assert.equal(webhook, `${PUBLIC_URL}/carrier/${kind}`)
    if (kind === 'bandwidth') assert.equal(fake.account.linkedTo, id)
    else assert.equal(fake.numbers.purchased.get(NUMBER)!.profileId, id)
    const check = await runCommand(['carrier', 'check'], env)
    assert.deepEqual([check.code, check.err], [0, ''])

    const [written, asked] = [text(), fake.requests.length]
    const second = await add('--number', NUMBER)
    assert.equal(second.code, 0, second.err)
    assert.match(second.out, / The [a-z ]+ "longcode \w+" \([\w-]+\) is up to date\./i)
    assert.equal(text(), written)
    assert.equal(fake.account.containers.size, 1)
    const changes = fake.requests.slice(asked).filter(({ method }) => method !== 'GET')
    assert.deepEqual(changes, [])
  })

  test(`${kind}: a wrong key is reported in one line, and nothing is written`, async (t) => {
    const { fake, file, add } = await accountAt(t, kind)
    fake.account.authorization = 'another'
    const { code, err, out } = await add()
    assert.equal(code, 1)
    assert.match(
      err,
      /^\w+ is not set up: \w+ rejected this key \(HTTP 401.*\)\. Copy the whole key/,
    )
    assert.equal(err.trimEnd().split('\n').length, 1)
    assert.deepEqual(linesOf({ code, err, out }), ['FAIL key'])
    assert.ok(!existsSync(file))
    assert.equal(fake.account.containers.size, 0)
  })
}

test('carrier add finds existing objects by name and corrects them, and keeps comments and order of the file', async (t) => {
  const { fake, file, add, text } = await accountAt(t, 'telnyx')
  fake.account.containers.set('prf-old', {
    name: 'longcode telnyx',
    webhook_url: 'https://old.test',
  })
  const before = `# ours\nlinks:\n  - name: pretend # first\n    kind: simulator\nroutes:\n  - links: [pretend]\n`
  writeFileSync(file, before)
  chmodSync(file, 0o644)
  const { code, out, err } = await add()
  assert.equal(code, 0, err)
  assert.match(
    out,
    /Changed the messaging profile "longcode telnyx" \(prf-old\): its webhook was https:\/\/old\.test\./,
  )
  assert.equal(fake.account.containers.get('prf-old')!.webhook_url, `${PUBLIC_URL}/carrier/telnyx`)
  const link =
    / {2}- name: telnyx\n {4}kind: telnyx\n {4}apiKey: \$\{TELNYX_KEY\}\n {4}publicKey: \S+\n {4}url: \S+\n/
  assert.match(text(), link)
  assert.equal(text().replace(link, ''), before)
  assert.equal(statSync(file).mode & 0o777, 0o640)
  assert.match(out, /No route uses telnyx, so it only receives\./)
  assert.match(
    out,
    /No number is in the messaging profile[^\n]*\n {2}→ Run this again with --number \+14152000001/,
  )
  assert.match(out, /\+14152000001 is not in a registered 10DLC campaign at Telnyx/)
})

test('a campaign gets its own profile, and the provider’s numbers get a price', async (t) => {
  const { fake, add, text } = await accountAt(t, 'telnyx')
  const campaign = 'cmp_01j8zq4m5n6p7r8s9t0v1w2x3y'
  const { code, err } = await add('--campaign', campaign, '--monthly-price', '1.5')
  assert.equal(code, 0, err)
  const [[id, made]] = [...fake.account.containers] as [[string, Record<string, string>]]
  assert.equal(made.name, `longcode ${campaign}`)
  assert.ok(
    text().includes(
      `    profiles:\n      ${campaign}: ${id}\n    numbers:\n      monthlyPrice: 1.5\n`,
    ),
  )
})

test('fields that only work together are required together', async (t) => {
  const { file, add } = await accountAt(t, 'bandwidth')
  for (const [args, text] of [
    [['--site-id', '1'], 'siteId requires locationId.'],
    [['--location-id', '22'], 'locationId requires siteId.'],
    [
      ['--monthly-price', '1.5'],
      'monthlyPrice requires siteId and locationId, because Bandwidth orders numbers into them.',
    ],
  ] as const) {
    const { code, err } = await add(...args)
    assert.deepEqual([code, err], [2, `${text}\n`])
  }
  assert.ok(!existsSync(file))
})

test('a dry run checks and changes nothing', async (t) => {
  const { fake, file, add } = await accountAt(t, 'twilio')
  const result = await add('--dry-run', '--test-to', PHONE)
  assert.equal(result.code, 0, result.err)
  assert.deepEqual(linesOf(result), [
    'ok key',
    'ok callbacks',
    'plan container',
    'ok numbers',
    'plan file',
    'plan test',
  ])
  assert.match(result.out, /authToken: \$\{TWILIO_AUTH_TOKEN\}/)
  assert.ok(fake.requests.every(({ method }) => method === 'GET'))
  assert.ok(!existsSync(file))
})

test('one error lists all missing values and how to set them, and a name of another kind is refused', async (t) => {
  const { file, env } = await accountAt(t, 'twilio')
  const bare = { LONGCODE_CARRIERS: file }
  const [missing, unknown, local] = await Promise.all([
    runCommand(['carrier', 'add', 'twilio'], bare),
    runCommand(['carrier', 'add', 'plivo'], bare),
    runCommand(['carrier', 'add', 'twilio', '--public-url', 'http://localhost:8080'], env),
  ])
  assert.deepEqual(
    [missing.code, missing.err],
    [2, 'Missing: use --account-sid or set TWILIO_ACCOUNT_SID; set TWILIO_AUTH_TOKEN.\n'],
  )
  assert.deepEqual(
    [unknown.code, unknown.err],
    [2, 'The provider must be one of telnyx, bandwidth, twilio, not "plivo".\n'],
  )
  assert.deepEqual(
    [local.code, local.err],
    [
      2,
      '--public-url http://localhost:8080 is not https. Providers send callbacks only to https URLs.\n',
    ],
  )
  writeFileSync(file, 'links:\n  - { name: twilio, kind: simulator }\n')
  const taken = await runCommand(['carrier', 'add', 'twilio'], env)
  assert.equal(taken.code, 2)
  assert.match(
    taken.err,
    /^The file already has a link "twilio" of kind simulator\. Choose another name\./,
  )
})

test('without a public URL the link is created without a webhook, and the output reports it', async (t) => {
  const { fake, env } = await accountAt(t, 'telnyx')
  const { LONGCODE_PUBLIC_URL: _, ...local } = env
  const { code, out, err } = await runCommand(['carrier', 'add', 'telnyx', '--json'], local)
  assert.equal(code, 0, err)
  const report = JSON.parse(out)
  assert.deepEqual([report.callbackUrl, report.missing[0].what], [null, 'public_url'])
  assert.match(report.missing[0].text, /^http:\/\/127\.0\.0\.1:8080 is not https/)
  const [made] = [...fake.account.containers.values()]
  assert.equal(made!.webhook_url, undefined)
})

test('missing permission, missing money, a timeout, garbage, and a lost connection each have their own error', async (t) => {
  const { fake, file, env, add } = await accountAt(t, 'telnyx')
  const { mishaps } = fake.numbers
  const failsWith = async (
    on: RegExp,
    what: (typeof mishaps)[number]['what'],
    sentence: RegExp,
  ) => {
    mishaps.push({ on, what })
    const { code, err } = await add('--timeout', '1')
    assert.equal(code, 1)
    assert.match(err, sentence)
  }
  const errors = [{ code: '10010', title: 'Authorization failed' }]
  await failsWith(
    /GET .*messaging_profiles/,
    { status: 403, body: { errors } },
    /accepted the key, but it has no permission for its messaging profiles \(HTTP 403, 10010 Authorization failed\)/,
  )
  await failsWith(
    /GET .*messaging_profiles/,
    { status: 402, body: { errors: [{ code: '20100', title: 'Insufficient Funds' }] } },
    /The Telnyx account has no funds \(HTTP 402/,
  )
  await failsWith(
    /GET .*messaging_profiles/,
    'silent',
    /Telnyx could not be reached for its messaging profiles at http:\S+: /,
  )
  await failsWith(
    /GET .*messaging_profiles/,
    { status: 200, body: '<html>hello</html>' },
    /returned an unexpected response for its messaging profiles/,
  )
  await failsWith(
    /GET .*messaging_profiles/,
    { status: 200, body: { data: 'none' } },
    /Check that it is the URL of Telnyx/,
  )
  await failsWith(
    /POST .*messaging_profiles/,
    { status: 422, body: { errors: [{ code: '10015', title: 'Bad' }] } },
    /Telnyx refused a messaging profile \(HTTP 422, 10015 Bad\)/,
  )
  assert.ok(!existsSync(file))

  // The provider created it, but its reply was lost: the next run finds it instead of creating a second one.
  mishaps.push({ on: /POST .*messaging_profiles/, what: 'cut after taking' })
  const made = await add('--timeout', '1')
  assert.equal(made.code, 0, made.err)
  assert.equal(fake.account.containers.size, 1)

  fake.account.publicKey = null
  const keyless = await runCommand(['carrier', 'add', 'telnyx', '--name', 'second'], env)
  assert.equal(keyless.code, 1)
  assert.match(
    keyless.err,
    /Telnyx did not return the public key\. Copy it from portal\.telnyx\.com/,
  )
})

test('a failed test message shows the reason, and one without a response is not resent', async (t) => {
  const { fake, add } = await accountAt(t, 'telnyx')
  fake.outcomes.set(PHONE, { status: 'failed', code: '40010' })
  const failed = await add('--test-to', PHONE)
  assert.equal(failed.code, 1)
  assert.match(
    failed.err,
    /^telnyx is set up, but the test failed: \+14152000001 → \+14155550107: delivery_failed 40010 Refused by the network\. The number is not in a registered 10DLC campaign/,
  )
  fake.refuses.set(PHONE, '40300')
  const refused = await add('--test-to', PHONE)
  assert.match(
    refused.err,
    /Telnyx refused the test message \(HTTP 400, 40300 For a reason\)\. The recipient opted out/,
  )
  fake.refuses.clear()
  fake.instead.push({ status: 200, cut: 'before', takes: true })
  const unclear = await add('--test-to', PHONE)
  assert.match(unclear.err, /It may have been sent, so it is not sent again\./)
  fake.outcomes.set(PHONE, { status: 'sent' })
  const silent = await add('--test-to', PHONE, '--wait', '1')
  assert.equal(silent.code, 0, silent.err)
  assert.match(silent.out, /note +test .*: sent; no receipt within \d s\. Check the phone\./)
  assert.equal(fake.taken.length, 3)
})

test('if the file cannot be written, the lines to paste are shown without secrets', async (t) => {
  const { fake, env, file } = await accountAt(t, 'bandwidth')
  const nowhere = {
    ...env,
    LONGCODE_CARRIERS: path.join(path.dirname(file), 'absent', 'carriers.yaml'),
  }
  const unkept = await runCommand(['carrier', 'add', 'bandwidth'], nowhere)
  assert.equal(unkept.code, 1)
  assert.match(unkept.err, /cannot be written \(ENOENT\)[^\n]*Set BANDWIDTH_CALLBACK_PASSWORD/)
  assert.equal(fake.account.containers.size, 0)
  const given = { ...nowhere, BANDWIDTH_CALLBACK_PASSWORD: 'a-password-of-ours' }
  const { code, out, err } = await runCommand(['carrier', 'add', 'bandwidth'], given)
  assert.equal(code, 1)
  assert.match(
    err,
    /^bandwidth is not set up: \S+ cannot be written \(ENOENT\)\. Give this user write permission/,
  )
  assert.match(out, /links:\n {2}- name: bandwidth\n {4}kind: bandwidth\n/)
  assert.ok(out.includes(`password: \${BANDWIDTH_PASSWORD}`), out)
  assert.ok(!out.includes('a-password-of-ours'))
  assert.match(out, /No location is linked to the application/)
  const { LONGCODE_CARRIERS: _, ...unset } = given
  const none = await runCommand(['carrier', 'add', 'bandwidth'], unset)
  assert.match(none.err, /LONGCODE_CARRIERS is not set\. Put the link in a file/)
})

test('an error in the existing file is reported, and a file that would become invalid is not written', async (t) => {
  const { file, add, text, env } = await accountAt(t, 'telnyx')
  writeFileSync(
    file,
    `links:\n  - name: acme\n    kind: smpp\n    host: a.invalid\n    systemId: x\n    password: \${ACME}\n`,
  )
  const { code, out } = await add()
  assert.equal(code, 1)
  assert.match(
    out,
    /FAIL +check +\S*carriers\.yaml:6 links\[0\]\.password names \$\{ACME\}, which is not set/,
  )
  assert.match(text(), /name: telnyx/)
  const before = text()
  const bad = { ...env, TELNYX_PUBLIC_KEY: 'no key' }
  const refused = await runCommand(['carrier', 'add', 'telnyx', '--name', 'other'], bad)
  assert.equal(refused.code, 1)
  assert.match(
    refused.err,
    /was not changed, because the result could not be used: .*publicKey must be the public key/,
  )
  assert.equal(text(), before)
})

test('a running service reloads the file or reports why not, and the audit log has no secrets', async (t) => {
  const { env, file, fake } = await accountAt(t, 'telnyx')
  const { TELNYX_KEY, TELNYX_URL: url, ...rest } = env
  const key = `publicKey: ${fake.account.publicKey}`
  writeFileSync(
    file,
    `links:\n  - name: telnyx\n    kind: telnyx\n    apiKey: ${TELNYX_KEY}\n    url: ${url}\n    ${key}\n`,
  )
  const stage = await commandStage(t, {
    roles: ['dispatch'],
    env: { LONGCODE_CARRIERS: file, LONGCODE_PUBLIC_URL: PUBLIC_URL },
  })
  await eventually(async () => (await stage.runJson('carrier', 'status')).links.length > 0)
  const known = await runCommand(['carrier', 'add', 'telnyx'], { ...rest, ...stage.env })
  assert.equal(known.code, 0, known.err)
  assert.match(known.out, /ok +file +\S+ already has the link telnyx\./)
  assert.match(known.out, /ok +reload +The dispatching process reloaded the file\./)

  const args = ['carrier', 'add', 'telnyx', '--name', 'second']
  const strange = await runCommand(args, { ...env, ...stage.env })
  assert.equal(strange.code, 1)
  assert.match(strange.out, /The service needs TELNYX_KEY in its environment\./)
  assert.match(
    strange.out,
    /FAIL +reload .*second|FAIL +reload .*names \$\{TELNYX_KEY\}, which is not set/,
  )
  assert.match(strange.out, /telnyx comes first: second sends only while telnyx is down\./)
  const acts = await stage.runJson('audit', '--act', 'carrier.add')
  assert.deepEqual(
    acts.map((act: { subject: string }) => act.subject),
    ['second', 'telnyx'],
  )
  assert.ok(!JSON.stringify(acts).includes('hush'))
})

for (const kind of ['telnyx', 'bandwidth', 'twilio'] as const) {
  test(`${kind}: the output reports whether the callback for the test message arrives, and a missing one is no failure`, async (t) => {
    const { file, fake, called } = await accountAt(t, kind)
    fake.account.registered.add(NUMBER)
    writeFileSync(file, `links:\n  - ${JSON.stringify(linkOf(kind, fake))}\n`)
    const given = { LONGCODE_CARRIERS: file, LONGCODE_PUBLIC_URL: PUBLIC_URL }
    const stage = await commandStage(t, { roles: ['dispatch'], env: given })
    await eventually(async () => (await stage.runJson('carrier', 'status')).links.length > 0)
    const more = kind === 'bandwidth' ? ['--site-id', '1', '--location-id', '22'] : []
    const args = ['carrier', 'add', kind, '--number', NUMBER, '--test-to', PHONE, ...more]
    const add = (...rest: string[]) => runCommand([...args, ...rest], { ...given, ...stage.env })
    const address = `${PUBLIC_URL}/carrier/${kind}`
    const silent = await add('--wait', '2')
    assert.equal(silent.code, 0, silent.err + silent.out)
    const missed = `The message was sent, but no callback arrived within \\d+ s\\. Check that ${address} is reachable from the Internet\\.`
    assert.match(silent.out, new RegExp(`note +receipt +${missed}`))
    assert.match(
      silent.out,
      new RegExp(`Still missing:[^]*sent no callback to ${address}[^]*LONGCODE_PUBLIC_URL`),
    )

    called.app = stage.app
    const heard = await add()
    assert.equal(heard.code, 0, heard.err + heard.out)
    assert.match(
      heard.out,
      new RegExp(`ok +receipt +\\w+ sent a callback to ${address}\\. Receipts arrive\\.`),
    )
    assert.doesNotMatch(heard.out, /sent no callback/)
  })
}

/** The link with its secrets: a test service has no environment variables. */
function linkOf(kind: Kind, { url, account }: FakeProvider): Record<string, unknown> {
  const own = {
    telnyx: { apiKey: 'KEY-hush-hush', publicKey: account.publicKey },
    bandwidth: {
      ...{ accountId: '55', user: 'u', password: 'pass-hush-hush', application: 'app' },
      ...{ callbackUser: 'cu', callbackPassword: 'cp-hush-hush' },
      dashboardUrl: `${url}/dashboard/api`,
    },
    twilio: { accountSid: SID, authToken: 'tok-hush-hush', messagingUrl: url },
  }[kind]
  return { name: kind, kind, url, ...own }
}

test('telnyx: the setup enables registration, and a second run keeps it', async (t) => {
  const { add, env, text } = await accountAt(t, 'telnyx')
  const mock = await add('--mock-registration', '--vertical', 'RETAIL')
  assert.equal(mock.code, 0, mock.err + mock.out)
  assert.match(text(), /registration:\n\s+mock: true\n\s+vertical: RETAIL/)
  const real = await add('--registration')
  assert.equal(real.code, 0, real.err)
  assert.match(text(), /registration:\n\s+mock: false\n\s+vertical: RETAIL/)
  const written = text()
  assert.equal((await add()).code, 0)
  assert.equal(text(), written, 'nothing is removed')
  assert.equal((await runCommand(['carrier', 'check'], env)).code, 0)
  const wrong = await add('--registration', '--vertical', 'SPACE')
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /vertical must be one of AGRICULTURE/)
})

test('registration through a provider other than Telnyx is refused', async (t) => {
  const { add } = await accountAt(t, 'twilio')
  const refused = await add('--registration')
  assert.equal(refused.code, 2)
  assert.match(refused.err, /registration is available only through telnyx/)
})
