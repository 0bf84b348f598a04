// `longcode voice …`, and what doctor and the start banner report about calls.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { freePort } from '../free-port.js'
import { cloneDatabase, eventually } from '../harness.js'
import { commandStage, runCommand, startServe, temporaryFolder } from './run-command.js'

const TARGET = '+14155550188'
const GOOD = `trunks:
  - name: acme
    sources: [203.0.113.0/28]
    contactHost: sip.acme.test
    contactTransport: tcp
    diversionHost: ours.test
`
const ENV = { LONGCODE_SIP_PORT: '0', LONGCODE_OPERATOR_TOKEN: 'lco_the-token-of-the-doctor' }
const BAD = GOOD.replace('contactHost', 'contactHots')

function fileWith(t: TestContext, text: string): string {
  const file = path.join(temporaryFolder(t), 'trunks.yaml')
  writeFileSync(file, text)
  return file
}

test('voice route shows where a call goes, or why it is not forwarded', async (t) => {
  const stage = await commandStage(t)
  const { campaignId } = await activeCampaign(stage)
  const number = await buyNumber(stage, campaignId)
  const env = { ...stage.env, LONGCODE_TRUNKS: fileWith(t, GOOD) }
  const quiet = await runCommand(['voice', 'route', number], env)
  assert.deepEqual(quiet, {
    code: 0,
    out: `${number}: 480. The number is not forwarded.\n`,
    err: '',
  })

  const url = `/v1/number/${number.slice(1)}/forwarding`
  await stage.call('PATCH', url, { forwardNumber: TARGET })
  const { code, out } = await runCommand(['voice', 'route', number.slice(2)], env)
  assert.equal(code, 0)
  assert.equal(
    out,
    `${number} goes to ${TARGET} (302).
Contact:   sip:${TARGET}@sip.acme.test;transport=tcp
Diversion: <sip:${number}@ours.test>;reason=unconditional;counter=1
`,
  )
  const json = await runCommand(['voice', 'route', number, '--json'], env)
  assert.equal(JSON.parse(json.out).target, TARGET)
  const unknown = await runCommand(['voice', 'route', number, '--trunk', 'acne'], env)
  assert.equal(unknown.code, 1)
  assert.match(unknown.err, /trunk is not a trunk of this service: did you mean acme\?/)
})

test('voice trunks checks a trunks file without starting anything', async (t) => {
  const file = fileWith(t, GOOD.replace('203.0.113.0/28', '0.0.0.0/0'))
  const [good, bad, sandbox, none] = await Promise.all([
    runCommand(['voice', 'trunks', file]),
    runCommand(['voice', 'trunks'], { LONGCODE_TRUNKS: fileWith(t, BAD) }),
    runCommand(['voice', 'trunks', '--json']),
    runCommand(['voice', 'trunks'], { LONGCODE_MODE: 'production' }),
  ])
  assert.equal(good.code, 0)
  assert.match(good.out, /^Note: \S+:3 trunks\[0\]\.sources\[0\] answers anybody, /)
  assert.match(good.out, /^acme +0\.0\.0\.0\/0 +sip\.acme\.test;transport=tcp +ours\.test +e164/m)
  assert.match(good.out, /trunks\.yaml is valid\.\n$/)
  assert.equal(bad.code, 1)
  assert.deepEqual(
    bad.err
      .trimEnd()
      .replaceAll(/^\S+trunks\.yaml/gm, '')
      .split('\n'),
    [
      ':2 trunks[0] needs contactHost.',
      ':4 trunks[0].contactHots is not a valid setting. Did you mean contactHost?',
    ],
  )
  assert.deepEqual(JSON.parse(sandbox.out).trunks[0].name, 'sandbox')
  assert.equal(none.code, 2)
  assert.match(none.err, /^Give a file, or set LONGCODE_TRUNKS/)
})

test('serve refuses an invalid trunks file in one line, and doctor reports the same', async (t) => {
  const file = fileWith(t, BAD)
  const env = {
    LONGCODE_TRUNKS: file,
    LONGCODE_DATA: path.join(path.dirname(file), 'data'),
    PORT: String(await freePort()),
  }
  const [start, doctor, off] = await Promise.all([
    runCommand(['serve'], env),
    runCommand(['doctor', '--json'], env),
    runCommand(['doctor'], { ...env, LONGCODE_TRUNKS: '', LONGCODE_SIP_PORT: 'off' }),
  ])
  assert.match(off.out, /^ok +calls +Not answered over SIP: LONGCODE_SIP_PORT is off\.$/m)
  assert.deepEqual(start, { code: 1, out: '', err: `${file}:2 trunks[0] needs contactHost.\n` })
  assert.equal(doctor.code, 1)
  const found = JSON.parse(doctor.out).filter((one: { check: string }) => one.check === 'calls')
  assert.deepEqual(
    found.map((one: { state: string }) => one.state),
    ['FAIL', 'FAIL'],
  )
})

test('the start banner shows where calls are answered, SIGHUP reloads the trunks, and doctor reports the state', async (t) => {
  const { url, drop } = await cloneDatabase()
  t.after(drop)
  const file = fileWith(t, GOOD)
  const env = {
    DATABASE_URL: url,
    PORT: String(await freePort()),
    LONGCODE_TRUNKS: file,
    ...ENV,
  }
  const { child, welcome, log, ended } = await startServe(t, env)
  const calls = welcome.find((line) => line.startsWith('  Calls '))
  assert.match(
    calls ?? welcome.join('\n'),
    /^ {2}Calls {6}127\.0\.0\.1:\d+, UDP and TCP: acme to sip\.acme\.test$/,
  )

  writeFileSync(file, BAD)
  child.kill('SIGHUP')
  await eventually(async () => log().includes('trunks not reloaded: the previous ones stay active'))
  assert.ok(log().includes(`${file}:2 trunks[0] needs contactHost.`), log())
  assert.match(await trunksInForce(env), /: known trunks: acme$/)
  writeFileSync(file, GOOD.replace('name: acme', 'name: beta'))
  child.kill('SIGHUP')
  await eventually(async () => log().includes('trunks reloaded'))
  assert.match(await trunksInForce(env), /: known trunks: beta$/)

  const doctor = await runCommand(['doctor', '--json'], env)
  const [found] = JSON.parse(doctor.out).filter((one: { check: string }) => one.check === 'calls')
  assert.equal(found.state, 'ok')
  assert.match(
    found.text,
    /^Answered on 127\.0\.0\.1:0 \(UDP, TCP\), 1 trunk\. The running service has \d+ numbers? in memory\.$/,
  )
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
})

/** The trunks of the running service, from its error about an unknown one. */
async function trunksInForce(env: typeof ENV & { PORT: string }): Promise<string> {
  const url = `http://127.0.0.1:${env.PORT}/operator/v1/voice/route?called=4155550123&trunk=zzz`
  const authorization = `Bearer ${env.LONGCODE_OPERATOR_TOKEN}`
  const response = await fetch(url, { headers: { authorization } })
  return ((await response.json()) as { error: string }).error
}
