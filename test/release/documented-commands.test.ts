// Runs the commands of production.md, operations.md, and second-site.md in order, on simulated hosts (host-machine.ts), as
// printed except for paths, ports, and IDs. A command that is not run is listed here, with the reason.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../harness.js'
import { readmeBody } from '../readme-bodies.js'
import { createMachine, findPostgresql, type Machine } from './host-machine.js'

const NOT_RUN: [prefix: string, reason: string][] = [
  ['cp ops/docker/', 'CI has no Docker'],
  ['docker compose ', 'CI has no Docker'],
  ['apt-get install', 'the packages are installed by then'],
  ['patroni', 'needs etcd and three machines'],
  ['haproxy -f', 'needs Patroni; test/faults/haproxy.test.ts runs the other file'],
  ['DATABASE_URL=postgres://longcode:…@', 'needs Patroni'],
]

function blocksOf(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, block]) => block!,
  )
}

/** Statements of a shell block. A here-document belongs to its statement. */
function statementsOf(block: string): string[] {
  const statements: string[] = []
  const lines = block.split('\n').filter((line) => line !== '')
  while (lines.length > 0) {
    const first = lines.shift()!
    const end = /<<'?(\w+)'?$/.exec(first)?.[1]
    const rest = end === undefined ? [] : lines.splice(0, lines.indexOf(end) + 1)
    statements.push([first, ...rest].join('\n'))
  }
  return statements
}

/** What differs between the page's machine and this one. */
function localize(text: string, { root, ports, binaries }: Machine): string {
  return text
    .replaceAll('/var/lib/postgresql/15/main', '/var/lib/postgresql/main')
    .replaceAll(/(?<=[\s'"=(]|^)\/(?=(?:opt|etc|var|backup|usr\/local)\b)/gm, `${root}/`)
    .replaceAll(/\/usr\/lib\/postgresql\/15\/bin/g, binaries)
    .replaceAll('127.0.0.1:5432', `127.0.0.1:${ports.postgres}`)
    .replaceAll('5433', String(ports.restored))
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.service}`)
    .replaceAll('listen 443', `listen 127.0.0.1:${ports.https}`)
    .replaceAll('smpp.acme.example', '127.0.0.1')
    .replaceAll('2775', String(ports.smpp))
    .replace(
      'https://sms.example.com/',
      `--cacert ${root}/etc/certificate.pem --resolve sms.example.com:${ports.https}:127.0.0.1 https://sms.example.com:${ports.https}/`,
    )
}

class Operator {
  /** The latest ID of each kind that was printed, for `acc_…`. */
  readonly ids: Map<string, string>
  restoreTime = ''
  /** Other names that a page prints, and what they are here. */
  readonly names: Record<string, string> = {}

  constructor(
    readonly machine: Machine,
    ids = new Map<string, string>(),
  ) {
    this.ids = ids
  }

  /** Runs a statement as printed, and returns its output. */
  run(statement: string): string {
    const named = Object.entries(this.names)
      .reduce((text, [name, value]) => text.replaceAll(name, value), statement)
      .replaceAll(/\b(acc|brd|cmp)_…/g, (_, kind: string) => this.ids.get(kind)!)
      .replaceAll('2026-11-15 03:51:07.124379+00', this.restoreTime)
    const { home: cwd, env } = this.machine
    const script = `set -euo pipefail\n${localize(named, this.machine)}\n`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd,
      env,
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${script}${stdout}${stderr}`)
    for (const [id, kind] of stdout.matchAll(/\b(acc|brd|cmp)_[0-9a-z]{20,}/g))
      this.ids.set(kind!, id!)
    return stdout
  }

  /** As the customer, through the proxy. */
  post(address: string, token: string, body: object): string {
    const data = JSON.stringify(body).replaceAll("'", "'\\''")
    const headers = `-H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`
    return this.run(
      `curl --silent --fail-with-body ${headers} -d '${data}' https://sms.example.com${address}`,
    )
  }
}

/** Runs a page. A hook runs before each statement that starts with its text. */
async function runPage(
  operatorOf: (block: string) => Operator,
  page: string,
  hooks: Record<string, (operator: Operator) => unknown>,
): Promise<string> {
  const left = new Set(Object.keys(hooks))
  let output = ''
  for (const block of blocksOf(page)) {
    for (const statement of statementsOf(block)) {
      if (NOT_RUN.some(([prefix]) => statement.startsWith(prefix))) continue
      const operator = operatorOf(block)
      for (const [prefix, hook] of Object.entries(hooks)) {
        if (!statement.startsWith(prefix)) continue
        left.delete(prefix)
        await hook(operator)
      }
      output += operator.run(statement)
    }
  }
  assert.deepEqual([...left], [], `${page} has no such statements`)
  return output
}

function writeProxy({ root, home }: Machine): void {
  const subject = ['-subj', '/CN=sms.example.com', '-addext', 'subjectAltName=DNS:sms.example.com']
  const files = ['-keyout', `${root}/etc/key.pem`, '-out', `${root}/etc/certificate.pem`]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files], {
    cwd: home,
    stdio: 'pipe',
  })
}

function nginxBlock(machine: Machine): string {
  const [, block] = /^```nginx\n(.*?)^```$/ms.exec(readFileSync('docs/production.md', 'utf8'))!
  return localize(block!, machine)
    .replace(/\S+fullchain\.pem/, `${machine.root}/etc/certificate.pem`)
    .replace(/\S+privkey\.pem/, `${machine.root}/etc/key.pem`)
}

/** A carrier at the address of the page. */
function startCarrier(t: TestContext, { machine }: Operator): void {
  const { env, home, ports, root } = machine
  const smsc = `longcode smsc --system-id longcode --password carrier-secret --port ${ports.smpp}`
  const script = `setsid nohup ${smsc} >${root}/run/smsc.log 2>&1 & echo $!`
  const pid = Number(execFileSync('bash', ['-c', script], { env, cwd: home, encoding: 'utf8' }))
  t.after(() => process.kill(pid))
}

async function runProduction(t: TestContext, operator: Operator): Promise<void> {
  const { machine } = operator
  let token = ''
  const output = await runPage(() => operator, 'docs/production.md', {
    'sudo nginx -t': () => {
      writeProxy(machine)
      writeFileSync(path.join(machine.root, 'etc/nginx/conf.d/longcode.conf'), nginxBlock(machine))
    },
    'longcode brand queue': () => {
      token = /lc_\S+/.exec(operator.run('longcode token create --account acc_…'))![0]
      operator.post('/v1/brand/create', token, readmeBody('/v1/brand/create'))
    },
    'longcode campaign queue': () => {
      const body = readmeBody('/v1/campaign/create', { BRAND: operator.ids.get('brd')! })
      operator.post('/v1/campaign/create', token, body)
    },
    'longcode carrier status': () =>
      eventually(async () => operator.run('longcode carrier status').includes(' up '), 'the link'),
    'sudo sed -i': () => startCarrier(t, operator),
  })
  assert.match(output, /No problems found\./)
}

async function runOperations(operator: Operator): Promise<void> {
  const { root } = operator.machine
  const output = await runPage(() => operator, 'docs/operations.md', {
    "sudo -u postgres psql -c 'select pg_switch_wal()'": () => {
      operator.run('longcode account credit acc_… 25 --note "After the base backup"')
      operator.restoreTime = operator
        .run("sudo -u postgres psql -Atc 'select clock_timestamp()'")
        .trim()
      operator.run('longcode account suspend acc_… --reason "The wrong account"')
      operator.run('longcode account delete acc_… --reason "The wrong account" --yes')
      assert.doesNotMatch(operator.run('longcode account list'), /ACTIVE/)
    },
  })
  const [restored, recovered] = output.split('No problems found.')
  for (const part of [restored, recovered]) {
    assert.match(part!, /The service at \S+ uses another database/)
    assert.match(part!, /Every balance is the sum of its entries/)
  }
  const log = readFileSync(path.join(root, 'var/lib/postgresql/restored/log'), 'utf8')
  assert.match(log, /recovery stopping before commit of transaction/)
  const other = 'DATABASE_URL=postgres://longcode:SECRET@127.0.0.1:5433/longcode'
  assert.match(
    operator.run(`${other} longcode account list`),
    /Blue Door Bistro.*ACTIVE|ACTIVE.*Blue Door Bistro/,
  )
}

/** The second site has the service as in production.md, with the first one's carrier, and does not start it. */
function prepareSecond(operator: Operator): void {
  const statements = blocksOf('docs/production.md').flatMap(statementsOf)
  const isSetUp = (text: string) =>
    /^sudo (?:npm|install|tee|sed|chown|chmod) /.test(text) &&
    !text.includes('SIMULATED_DELIVERIES=')
  for (const statement of statements.slice(0, statements.indexOf('longcode carrier check')))
    if (isSetUp(statement)) operator.run(statement)
}

async function runSecondSite(t: TestContext, first: Operator): Promise<void> {
  const second = new Operator(await createMachine(t, first.machine.binaries), first.ids)
  second.machine.ports.smpp = first.machine.ports.smpp
  prepareSecond(second)
  for (const one of [first, second]) {
    one.names['db-1.example:5432'] = `127.0.0.1:${first.machine.ports.postgres}`
    one.names['db-2.example:5432'] = `127.0.0.1:${second.machine.ports.postgres}`
  }
  first.run('longcode account create "Corner Bakery" --credit 1')
  const output = await runPage(
    (block) => (block.startsWith('# first site') ? first : second),
    'docs/second-site.md',
    {
      "sudo -u postgres psql -c 'select application_name": () => untilFollowed(first),
      "sudo -u postgres psql -Atc 'select pg_last_xact_replay": () => loseFirst(first, second),
      'longcode doctor': (one) =>
        eventually(async () => one.run('longcode carrier status').includes(' up '), 'the link'),
      'sudo systemctl stop longcode': async () => {
        credit(second, 'later')
        await untilFollowed(second)
      },
    },
  )
  const missing = output.split('\n').filter((line) => line.startsWith('transfer '))
  assert.equal(missing.length, 1, output)
  assert.match(missing[0]!, /vanishes/)
  assert.equal(output.match(/No problems found\./g)?.length, 2)
  assert.deepEqual(
    ['arrives', 'vanishes', 'later'].map((reference) => hasCredit(first, reference)),
    [true, false, true],
  )
}

/** A commit reaches the second site, another one does not, and the first site is gone. */
async function loseFirst(first: Operator, second: Operator): Promise<void> {
  credit(first, 'arrives')
  await eventually(async () => hasCredit(second, 'arrives'), 'the credit in the second site')
  second.run('sudo systemctl stop postgresql')
  credit(first, 'vanishes')
  first.run('kill -9 $(cat $ROOT/run/longcode.pid); rm $ROOT/run/longcode.pid')
  first.run('sudo -u postgres pg_ctl -D /var/lib/postgresql/15/main -m immediate stop')
  second.run('sudo systemctl start postgresql')
  const since = "select now() - interval '1 minute'"
  second.names['2026-11-19 01:00:00+00'] = ask(second, since)
}

async function untilFollowed(primary: Operator): Promise<void> {
  const state = 'select state from pg_stat_replication'
  await eventually(async () => ask(primary, state) === 'streaming', 'the other site follows')
}

function credit(operator: Operator, reference: string): void {
  operator.run(`longcode account credit acc_… 5 --note Test --reference ${reference}`)
}

function hasCredit(operator: Operator, reference: string): boolean {
  return (
    ask(operator, `select 1 from ledger_transfers where reference like '%${reference}'`) === '1'
  )
}

function ask(operator: Operator, statement: string): string {
  return operator.run(`sudo -u postgres psql longcode -Atc "${statement}"`).trim()
}

test('production.md, operations.md, and second-site.md run as printed, from an empty machine to a failover and back', async (t) => {
  const binaries = findPostgresql()
  if (binaries === null)
    return t.skip('needs the PostgreSQL of the system: pg_dump and pg_basebackup')
  if (!existsSync('/usr/sbin/nginx')) return t.skip('needs nginx')
  const operator = new Operator(await createMachine(t, binaries))
  await runProduction(t, operator)
  await runOperations(operator)
  await runSecondSite(t, operator)
})
