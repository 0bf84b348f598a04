// The carriers file as operators use it: checked before anything starts, checked by doctor and at the start, and
// reloaded while the service runs.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../free-port.js'
import { cloneDatabase, eventually } from '../harness.js'
import { runCommand, startServe, temporaryFolder } from './run-command.js'

const GOOD = `links:
  - name: acme
    kind: smpp
    host: smpp.acme.invalid
    systemId: longcode
    password: \${ACME_PASSWORD}
  - name: pretend
    kind: simulator
routes:
  - { campaigns: [cmp_01j8zq4m5n6p7r8s9t0v1w2x3y], links: [pretend] }
  - links: [acme]
`
const BAD = GOOD.replace('host:', 'hots:').replace('links: [acme]', 'links: [acne]')
const SIMULATED = 'links:\n  - { name: first, kind: simulator }\n'

function fileWith(t: TestContext, text: string): string {
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  writeFileSync(file, text)
  return file
}

test('carrier check validates a file without starting anything', async (t) => {
  const file = fileWith(t, GOOD)
  const env = { ACME_PASSWORD: 'hush-hush' }
  const [good, json, named, nothing] = await Promise.all([
    runCommand(['carrier', 'check', file], env),
    runCommand(['carrier', 'check', '--json'], { ...env, LONGCODE_CARRIERS: file }),
    runCommand(['carrier', 'check', file]),
    runCommand(['carrier', 'check']),
  ])
  assert.deepEqual(good, {
    code: 0,
    out: `${file} is valid. Links: acme (smpp), pretend (simulator). Routes: 2.\n`,
    err: '',
  })
  const links = [
    { name: 'acme', kind: 'smpp' },
    { name: 'pretend', kind: 'simulator' },
  ]
  assert.deepEqual(JSON.parse(json.out), { links, routes: ['route-1', 'route-2'], warnings: [] })
  assert.equal(named.code, 1)
  assert.match(
    named.err,
    /^\S+carriers\.yaml:6 links\[0\]\.password names \$\{ACME_PASSWORD\}, which is not set/,
  )
  assert.equal(nothing.code, 2)
  assert.match(nothing.err, /^Give a file, or set LONGCODE_CARRIERS/)
})

test('carrier check reports all errors of a file by line, and warnings as notes', async (t) => {
  const file = fileWith(t, BAD)
  const { code, err } = await runCommand(['carrier', 'check', file], { ACME_PASSWORD: 'x' })
  assert.equal(code, 1)
  assert.deepEqual(err.replaceAll(file, '').trimEnd().split('\n'), [
    ':2 links[0] needs host.',
    ':4 links[0].hots is not a valid setting. Did you mean host?',
  ])
  const clear = fileWith(t, GOOD.replace(/\$\{\w+\}/, 'plain'))
  const noted = await runCommand(['carrier', 'check', clear])
  assert.equal(noted.code, 0)
  assert.match(noted.out, /^Note: \S+:6 links\[0\]\.password is written in clear/)
  assert.ok(!noted.out.includes('plain'))
})

test('serve refuses an invalid carriers file in one line before it starts anything, and doctor reports the same', async (t) => {
  const file = fileWith(t, 'links:\n  - { name: a, kind: simulator, speed: 3 }\n')
  const env = { LONGCODE_CARRIERS: file, LONGCODE_DATA: path.join(path.dirname(file), 'data') }
  const port = { PORT: String(await freePort()) }
  const problem = `${file}:2 links[0].speed is not a valid setting. Valid settings: name, kind, overlap, drainSeconds, failbackSeconds, hostsStock.`
  const [start, doctor] = await Promise.all([
    runCommand(['serve'], { ...env, ...port }),
    runCommand(['doctor', '--json'], { ...env, ...port }),
  ])
  assert.deepEqual(start, { code: 1, out: '', err: `${problem}\n` })
  assert.equal(doctor.code, 1)
  const found = JSON.parse(doctor.out).find(({ check }: { check: string }) => check === 'carriers')
  assert.deepEqual([found.state, found.text], ['FAIL', problem])
})

test('the start banner lists the links, and SIGHUP reloads them or logs why not', async (t) => {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const file = fileWith(t, SIMULATED)
  const { child, log, ended, ...said } = await startServe(t, {
    DATABASE_URL: url,
    PORT: String(await freePort()),
    LONGCODE_CARRIERS: file,
    LONGCODE_CARRIER: 'none',
  })
  const welcome = said.welcome.join('\n')
  assert.ok(welcome.includes(`Carrier    first (simulator); 1 route (${file})`), welcome)
  assert.match(welcome, /LONGCODE_CARRIER=none is ignored: LONGCODE_CARRIERS takes precedence\./)

  writeFileSync(file, SIMULATED.replace('kind', 'king'))
  child.kill('SIGHUP')
  await eventually(async () => log().includes('carriers not reloaded'))
  assert.ok(log().includes(`${file}:2 links[0] needs kind.`), log())
  writeFileSync(file, `${SIMULATED}  - { name: second, kind: simulator }\n`)
  child.kill('SIGHUP')
  await eventually(async () => log().includes('carriers reloaded'))
  assert.ok(log().includes('"added":["second"],"changed":[],"removed":[]'), log())

  child.kill('SIGTERM')
  assert.equal(await ended, 0)
})
