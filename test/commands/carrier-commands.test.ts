// `longcode carrier …`: the state of the links, and reloading their settings.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LinkStatus, Reloaded } from '../../src/messages/carrier-port.js'
import { fakeCarrier } from '../fake-carrier.js'
import { eventually } from '../harness.js'
import { commandStage } from './run-command.js'

const SINCE = new Date('2026-11-15T12:00:00.000Z')

const LINK: LinkStatus = {
  link: 'aggregator',
  kind: 'smpp',
  isUp: false,
  since: SINCE,
  detail: 'The carrier refused the bind: ESME_RINVPASWD',
  connections: [
    { name: '1', state: 'bound_trx', since: SINCE, peer: '127.0.0.1:2775' },
    { name: '2', state: 'closed', since: SINCE, peer: '127.0.0.1:2775' },
  ],
  window: { used: 3, size: 10 },
  rate: { perSecond: 19.7, contract: 50 },
}

test('carrier status shows each link, and carrier reload reloads the file or reports its errors', async (t) => {
  let answer: Reloaded = { ok: true }
  const carrier = { ...fakeCarrier(), links: () => [LINK], reload: async () => answer }
  const { run, runJson } = await commandStage(t, { roles: ['dispatch'], carrier })
  const listed = await eventually(async () => {
    const found = await runJson('carrier', 'status')
    return found.links.length > 0 && found
  })
  assert.deepEqual([listed.links[0].state, listed.waiting], ['down', 0])

  const { out } = await run('carrier', 'status')
  const [heading, row, detail, foot] = out.trimEnd().split('\n')
  assert.match(heading!, /^LINK +KIND +STATE +SINCE +BINDS +WINDOW +RATE +SENT/)
  assert.match(
    row!,
    /^aggregator +smpp +DOWN +2026-11-15T12:00:00.000Z +1\/2 +3\/10 +20\/50\/s +0 +0 +0 +0 +0 +\S+:\d+:\w+$/,
  )
  assert.equal(detail, 'aggregator is down: The carrier refused the bind: ESME_RINVPASWD')
  assert.equal(foot, '0 messages are waiting. Counts cover the last 15 minutes.')

  const reloaded = await run('carrier', 'reload')
  assert.deepEqual([reloaded.code, reloaded.err], [0, ''])
  assert.match(reloaded.out, /: reloaded\n$/)

  answer = { ok: false, error: 'carriers.yaml, line 7: port must be a number from 1 to 65535' }
  const refused = await run('carrier', 'reload')
  assert.equal(refused.code, 1)
  assert.match(refused.out, /: carriers\.yaml, line 7: port must be/)
  assert.match(refused.err, /^1 of 1 processes did not reload\. They keep their previous settings/)
  assert.match((await run('carrier', 'status')).out, /^Not reloaded in \S+: carriers\.yaml, line 7/)
})

test('carrier status and reload report that no process is dispatching', async (t) => {
  const { run } = await commandStage(t)
  const status = await run('carrier', 'status')
  assert.deepEqual(
    [status.code, status.out],
    [0, 'No dispatching process has reported in the last 30 seconds.\n'],
  )
  const reload = await run('carrier', 'reload')
  assert.deepEqual(
    [reload.code, reload.err],
    [1, 'No dispatching process is running. The file is read when one starts.\n'],
  )
})

test('an operator pauses a link with a reason, sees it in the status, and resumes it', async (t) => {
  const carrier = { ...fakeCarrier(), links: () => [{ ...LINK, isUp: true, detail: null }] }
  const { run, runJson } = await commandStage(t, { roles: ['dispatch'], carrier })
  await eventually(async () => (await runJson('carrier', 'status')).links.length > 0)
  const unknown = await run('carrier', 'pause', 'nowhere')
  assert.deepEqual(
    [unknown.code, unknown.err],
    [1, 'No carrier link is named nowhere. Links: aggregator.\n'],
  )
  const paused = await run('carrier', 'pause', 'aggregator', '--reason', 'maintenance')
  assert.deepEqual([paused.code, paused.err], [0, ''])
  const { out } = await run('carrier', 'status')
  assert.match(out, /^aggregator +smpp +PAUSED /m)
  assert.match(out, /^aggregator has been paused since \S+Z by .+: maintenance$/m)
  assert.equal((await run('carrier', 'resume', 'aggregator')).out, 'aggregator is active again.\n')
  assert.equal((await run('carrier', 'resume', 'aggregator')).out, 'aggregator was not paused.\n')
  assert.equal((await runJson('carrier', 'status')).links[0].state, 'up')
})
