// `longcode doctor`: reports every problem with its cause and fix.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Registration } from '../../src/brands/registration.js'
import {
  claimRegistration,
  delayRegistration,
  recordRegistration,
  submitRegistration,
} from '../../src/brands/registration-queries.js'
import { describeChoice } from '../../src/commands/operator-world.js'
import { CLUSTER } from '../../src/kit/embedded/location.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { saveLinkOutage } from '../../src/messages/dispatch/link-outage-queries.js'
import { addEvidence } from '../../src/messages/evidence/link-evidence-queries.js'
import { freePort } from '../free-port.js'
import { changesStorage, cloneDatabase } from '../harness.js'
import {
  type CommandStage,
  commandStage,
  type Env,
  runCommand,
  temporaryFolder,
} from './run-command.js'

interface Finding {
  check: string
  state: 'ok' | 'note' | 'FAIL'
  text: string
  remedy: string | null
}

async function diagnose(env: Env, nodeArgs: string[] = []): Promise<Finding[]> {
  const { code, out, err } = await runCommand(['doctor', '--json'], env, { nodeArgs })
  const findings = JSON.parse(out) as Finding[]
  const failed = findings.filter(({ state }) => state === 'FAIL').map(({ check }) => check)
  assert.equal(code, failed.length > 0 ? 1 : 0)
  if (failed.length > 0) assert.match(err, new RegExp(failed.join(', ')))
  return findings
}

function findingOf(findings: Finding[], check: string): Finding {
  const found = findings.find((finding) => finding.check === check)
  assert.ok(found, `${check} is not among ${JSON.stringify(findings)}`)
  return found
}

async function occupiedPort(t: TestContext): Promise<number> {
  const server = createServer((socket) => socket.end('220 not a web server\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

test('doctor prints a line for each check of a healthy installation', async (t) => {
  const stage = await commandStage(t)
  const { code, out } = await stage.run('doctor', '--ledger')
  assert.equal(code, 0, out)
  const lines = out.trimEnd().split('\n')
  assert.deepEqual(
    lines.slice(0, -1).map((line) => line.split(/ +/).slice(0, 2).join(' ')),
    [
      'ok version',
      'ok settings',
      'ok database',
      'ok clock',
      'ok migrations',
      'ok queue',
      'ok webhooks',
      'ok responses',
      'ok ledger',
      'ok counters',
      'ok service',
      'ok carrier',
      'ok calls',
      'ok pictures',
    ],
  )
  assert.equal(lines.at(-1), 'No problems found.')
})

test('doctor --ledger reports a ledger that does not add up', async (t) => {
  const stage = await commandStage(t)
  const shift = (micros: bigint) =>
    stage.world.db.query(sql`update account_ledgers set wallet_micros = wallet_micros + ${micros}
      where account_id = ${stage.accountId}`)
  await shift(1n)
  const { code, out, err } = await stage.run('doctor', '--ledger', '--json')
  const findings = await diagnose(stage.env)
  await shift(-1n)
  assert.equal(code, 1)
  assert.match(err, /Problems found: ledger\./)
  assert.deepEqual(findingOf(JSON.parse(out), 'ledger'), {
    check: 'ledger',
    state: 'FAIL',
    text: `1 ledger does not add up, the first is wallet of ${stage.accountId}.`,
    remedy: 'This is a bug. Stop the service, save a database dump, and report it.',
  })
  assert.equal(
    findings.some(({ check }) => check === 'ledger'),
    false,
  )
})

test('doctor --ledger reports counters that do not match the messages', async (t) => {
  const stage = await commandStage(t)
  const start = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
  await stage.world.db.query(sql`
    insert into usage_counts (account_id, unit, start, campaign_id, carrier, direction, status, error_code, step, count)
    values (${stage.accountId}, 'hour', ${start}, 'cmp_1', 'att', 'OUTBOUND', 'SENT', 0, -32768, 1)`)
  const { code, out } = await stage.run('doctor', '--ledger', '--json')
  await stage.world.db.query(sql`delete from usage_counts`)
  assert.equal(code, 1)
  const { state, text } = findingOf(JSON.parse(out), 'counters')
  assert.equal(state, 'FAIL')
  assert.match(text, new RegExp(`^1 counter does not match .* in ${stage.accountId}\\.`))
})

test('doctor reports a database that cannot be reached', async () => {
  const port = await freePort()
  const findings = await diagnose({
    DATABASE_URL: `postgres://ana:secret@127.0.0.1:${port}/longcode`,
    PORT: String(await freePort()),
  })
  const { state, text, remedy } = findingOf(findings, 'database')
  assert.equal(state, 'FAIL')
  assert.equal(
    text,
    `The database at 127.0.0.1:${port}/longcode cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}.`,
  )
  assert.match(remedy!, /^Check that PostgreSQL is running/)
  assert.equal(JSON.stringify(findings).includes('secret'), false)
})

test('doctor reports missing migrations', async (t) => {
  const stage = await commandStage(t)
  await stage.world.db.query(sql`delete from migrations where name like '0013%'`)
  const finding = findingOf(await diagnose(stage.env), 'migrations')
  assert.deepEqual(finding, {
    check: 'migrations',
    state: 'FAIL',
    text: 'The database is missing migrations: 0013-operator.sql.',
    remedy: 'Run `longcode migrate`, or start the service, which runs it.',
  })
})

test('a check that the database refuses does not hide the others', async (t) => {
  const stage = await commandStage(t)
  await stage.world.db.query(sql`alter table link_evidence rename to kept_elsewhere`)
  const findings = await diagnose(stage.env)
  const [database, refused] = findings.filter(({ check }) => check === 'database')
  assert.equal(database?.state, 'ok')
  assert.deepEqual(refused, {
    check: 'database',
    state: 'FAIL',
    text: 'A check could not be completed: relation "link_evidence" does not exist.',
    remedy: 'Run `longcode doctor` again. On a slow database, raise LONGCODE_DATABASE_TIMEOUT.',
  })
  assert.equal(findingOf(findings, 'queue').state, 'ok')
})

test('doctor reports a port in use and a missing carrier link', async (t) => {
  const stage = await commandStage(t)
  const port = await occupiedPort(t)
  const { DATABASE_URL } = stage.env as { DATABASE_URL: string }
  const env = { DATABASE_URL, PORT: String(port), LONGCODE_MODE: 'production' }
  const findings = await diagnose(env)
  const taken = findingOf(findings, 'port')
  assert.deepEqual(
    [taken.state, taken.text],
    ['FAIL', `Port ${port} is in use by another program.`],
  )
  assert.match(
    taken.remedy!,
    new RegExp(`^Set PORT to another port, for example ${port + 1}, or stop that program`),
  )
  const link = findingOf(findings, 'carrier')
  assert.equal(link.state, 'FAIL')
  assert.match(link.text, /^No carrier link is set up\. Every send is refused with 503/)
  assert.match(link.remedy!, /^Set LONGCODE_CARRIERS to your carriers file/)
})

test('doctor reports a clock that is more than a minute off', async (t) => {
  const stage = await commandStage(t)
  // The program runs with a clock that is two minutes fast; the database’s is right.
  const shift = 'const now = Date.now; Date.now = () => now() + 120_000'
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(shift)}`]
  const { state, text, remedy } = findingOf(await diagnose(stage.env, nodeArgs), 'clock')
  assert.equal(state, 'FAIL')
  assert.match(text, /^This machine’s clock is 1\d\d s ahead of the database’s clock\.$/)
  assert.match(remedy!, /^Synchronize both with a time server/)
})

test('doctor does not report the service of another database as its own', async (t) => {
  const stage = await commandStage(t)
  const other = await cloneDatabase()
  t.after(other.drop)
  const own = findingOf(await diagnose(stage.env), 'service')
  assert.deepEqual([own.state, own.text], ['ok', `Running and ready at ${stage.env.LONGCODE_URL}.`])
  const findings = await diagnose({ ...stage.env, DATABASE_URL: other.url })
  const { state, text } = findingOf(findings, 'service')
  assert.deepEqual(
    [state, text],
    [
      'note',
      `The service at ${stage.env.LONGCODE_URL} uses another database. It is not the service of this one.`,
    ],
  )
})

test('a command names its database before it writes if it could be confused with a sandbox', async (t) => {
  const stage = await commandStage(t)
  const dataDir = temporaryFolder(t)
  const create = (name: string, env: Env) => runCommand(['account', 'create', name], env)
  assert.equal((await create('First', { ...stage.env, LONGCODE_DATA: dataDir })).err, '')
  mkdirSync(path.join(dataDir, CLUSTER))
  const { err } = await create('Second', { ...stage.env, LONGCODE_DATA: dataDir })
  assert.match(err, /^Database: \S+\/\w*test_\w+, not the sandbox in \S+\.\n$/)
  const sandbox = describeChoice({ databaseUrl: null, dataDir }, '/etc/longcode/longcode.env')
  assert.match(
    sandbox!,
    /^Database: the sandbox in \S+, not that of \/etc\/longcode\/longcode\.env/,
  )
  assert.equal(describeChoice({ databaseUrl: null, dataDir }, null), null)
})

test('a file named in LONGCODE_ENV_FILE has the settings, and must exist', async (t) => {
  const stage = await commandStage(t)
  const file = path.join(temporaryFolder(t), 'longcode.env')
  const env = { LONGCODE_ENV_FILE: file, LONGCODE_URL: stage.env.LONGCODE_URL! }
  const missing = await runCommand(['account', 'list'], env)
  assert.equal(missing.code, 1)
  assert.match(missing.err, /^The settings in \S+ cannot be read \(ENOENT\)\.\n$/)
  writeFileSync(file, `# a comment\nDATABASE_URL=${stage.databaseUrl}\n`)
  assert.equal(findingOf(await diagnose(env), 'service').state, 'ok')
})

test('doctor reports a running service without a carrier link', async (t) => {
  const stage = await commandStage(t, { env: { LONGCODE_CARRIER: 'none' } })
  const findings = await diagnose(stage.env)
  assert.equal(findingOf(findings, 'service').state, 'ok')
  const { state, text } = findingOf(findings, 'carrier')
  assert.equal(state, 'FAIL')
  assert.match(text, /^No carrier link is set up/)
})

test('doctor reports a simulator in production and names only settings that exist', async (t) => {
  const production = {
    LONGCODE_MODE: 'production',
    LONGCODE_CARRIER: 'simulator',
    LONGCODE_ALLOW_SIMULATED_DELIVERIES: 'true',
    DATABASE_URL: 'postgres://given.by.the/test',
  }
  const stage = await commandStage(t, { env: production })
  const findings = await diagnose({ ...production, ...stage.env })
  const { state, text, remedy } = findingOf(findings, 'carrier')
  assert.equal(state, 'note')
  assert.match(text, /^Simulated: messages are reported as delivered, but nothing reaches a phone/)
  const known = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  const named = `${text} ${remedy}`.match(/LONGCODE_[A-Z_]+/g) ?? []
  assert.deepEqual(
    named.filter((name) => !known.includes(`# ${name}=`)),
    [],
  )
})

test('doctor reports an invalid setting and a folder without a database', async () => {
  const port = String(await freePort())
  const [odd, empty] = await Promise.all([
    diagnose({ LONGCODE_MODE: 'demo' }),
    diagnose({ LONGCODE_DATA: '/nonexistent/longcode', PORT: port }),
  ])
  assert.deepEqual(odd, [
    {
      check: 'settings',
      state: 'FAIL',
      text: 'LONGCODE_MODE must be one of sandbox, production, not "demo".',
      remedy:
        'Correct it in the environment, or in the file of settings (LONGCODE_ENV_FILE, else .env).',
    },
  ])
  const { state, text } = findingOf(empty, 'database')
  assert.deepEqual([state, text], ['note', 'There is no database in /nonexistent/longcode yet.'])
  assert.equal(findingOf(empty, 'service').text, `Not running. Port ${port} is free.`)
})

test('doctor and serve warn about a mistyped name of a setting', async () => {
  const typo = { LONGCODE_DATA_DIR: '/srv/longcode', LONGCODE_DATA: '/nonexistent/longcode' }
  const sentence = 'LONGCODE_DATA_DIR is not a setting and is ignored. Did you mean LONGCODE_DATA?'
  const findings = await diagnose({ ...typo, PORT: String(await freePort()) })
  const found = findings.filter(({ check }) => check === 'settings')
  assert.deepEqual(
    found.map(({ state, text }) => [state, text]),
    [
      ['ok', 'Mode sandbox, registry simulated.'],
      ['note', sentence],
    ],
  )
  const refused = { DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' }
  const { err } = await runCommand(['serve'], { ...typo, ...refused })
  assert.match(err, new RegExp(`^Warning: ${sentence.replace('?', '\\?')}\n`))
})

test('doctor reports a lost carrier link and messages waiting to be retried', async (t) => {
  const stage = await commandStage(t)
  const { world, accountId } = stage
  changesStorage(world)
  const now = world.clock.now()
  const lost = { dispatcher: 'one', carrier: 'smpp', downSince: new Date('2026-11-15T12:00:00Z') }
  await saveLinkOutage(world.db, lost, now)
  await world.db.query(sql`
    insert into messages (account_id, id, campaign_id, type, direction, number, peer, route, body,
      num_segments, price_micros, status, attempts, due_at, created_at)
    values (${accountId}, 'msg_1', 'cmp_1', 'SMS', 'OUTBOUND', '+14152000001', '+14155550107', 'open',
      'Hello', 1, 0, 'QUEUED', 3, ${new Date(now.getTime() + 600_000)}, ${now})`)
  const findings = await diagnose(stage.env)
  const { state, text } = findingOf(findings, 'link')
  assert.equal(state, 'FAIL')
  assert.match(text, /^The carrier link \(smpp\) has been down since 2026-11-15T12:00:00\.000Z/)
  assert.equal(
    findingOf(findings, 'queue').text,
    '0 messages are waiting; waiting to be retried: 1.',
  )
})

test('doctor counts messages without a response, with their outcomes', async (t) => {
  const stage = await commandStage(t)
  const { world } = stage
  const counts = { unknown: 5, matched: 2, resent: 1, refunded: 2, recharged: 1 }
  await addEvidence(world.db, new Map([['acme', counts]]), world.clock.now())
  const { state, text } = findingOf(await diagnose(stage.env), 'responses')
  assert.equal(state, 'note')
  assert.equal(
    text,
    'Messages without a response in the last 24 hours: 5 (acme 5). 2 matched by a receipt, 1 resent, ' +
      '2 refunded, 1 charged again after a late receipt, 0 delivered late and not charged.',
  )
})

const RECORD = 'cmp_01km3v9w8m0000pqv3t5x7z9bd'

/** A campaign whose registration is leased by another process. */
async function leasedRegistration({ world, accountId }: CommandStage): Promise<Registration> {
  const now = world.clock.now()
  const key = { accountId, recordId: RECORD }
  await world.db.transaction((tx) =>
    submitRegistration(tx, { ...key, kind: 'campaign', link: 'upstream', now }),
  )
  const leaseUntil = new Date(now.getTime() + 60_000)
  const alive = { now, until: leaseUntil }
  return (await claimRegistration(world.db, key, { now, leaseUntil, alive }))!
}

test('doctor reports a registration stuck for ten minutes, with the reason', async (t) => {
  const stage = await commandStage(t)
  const leased = await leasedRegistration(stage)
  const failing = async (minutes: number) => {
    const failingSince = new Date(stage.world.clock.now().getTime() - minutes * 60_000)
    const failed = { attempts: 1, failingSince, lastError: 'HTTP 401 10009', dueAt: leased.dueAt }
    await delayRegistration(stage.world.db, leased, failed)
    return failingSince
  }
  await failing(9)
  const early = await diagnose(stage.env)
  assert.equal(
    early.some(({ check }) => check === 'registrations'),
    false,
  )
  const since = await failing(11)
  const { state, text, remedy } = findingOf(await diagnose(stage.env), 'registrations')
  assert.equal(state, 'note')
  assert.equal(
    text,
    `1 brand or campaign is waiting for its provider (${RECORD}, link upstream) since ${since.toISOString()}: HTTP 401 10009`,
  )
  assert.match(remedy!, /^Check the API key, the balance, .* refuses no customer because of it\.$/)
})

test('doctor reports a campaign that a network has not accepted, with the network’s status', async (t) => {
  const stage = await commandStage(t)
  const leased = await leasedRegistration(stage)
  const next = { ...leased, state: 'registered' as const, networks: 'T-Mobile: REVIEW' }
  assert.ok(await recordRegistration(stage.world.db, leased, next))
  const { state, text } = findingOf(await diagnose(stage.env), 'networks')
  assert.equal(state, 'note')
  assert.equal(
    text,
    `1 campaign is not accepted by every mobile network (${RECORD}, link upstream): T-Mobile: REVIEW`,
  )
})

test('doctor counts inventory numbers in campaigns registered through a provider, with what to do', async (t) => {
  const stage = await commandStage(t)
  const { world, accountId } = stage
  const leased = await leasedRegistration(stage)
  const next = { ...leased, state: 'registered' as const }
  assert.ok(await recordRegistration(world.db, leased, next))
  const insert = (number: string, link: string | null, status: string, campaignId = RECORD) =>
    world.db.query(sql`
      insert into numbers (phone_number, account_id, campaign_id, is_default, status, link, location,
        monthly_price_micros, purchased_at)
      values (${number}, ${accountId}, ${campaignId}, false, ${status}, ${link}, '', 0, ${world.clock.now()})`)
  await insert('+14152000001', 'upstream', 'ACTIVE')
  await insert('+14152000002', null, 'ACTIVE', 'cmp_another')
  const early = await diagnose(stage.env)
  assert.ok(early.every(({ check }) => check !== 'assignments'))
  await insert('+14152000003', null, 'ACTIVE')
  await insert('+14152000004', null, 'ACTIVE')
  const { state, text, remedy } = findingOf(await diagnose(stage.env), 'assignments')
  assert.equal(state, 'note')
  assert.match(text, /^2 numbers from your inventory are in campaigns registered .*the first/)
  assert.ok(text.includes(`(${RECORD}, link upstream)`), text)
  assert.match(remedy!, /^Assign it to the campaign on the provider’s 10DLC pages/)
})
