// A link whose carrier stopped responding delays only its own messages.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { startSmsc } from '../../src/smsc/smsc.js'
import { temporaryFolder } from '../commands/run-command.js'
import { eventually } from '../harness.js'
import { sendingService } from '../sending.js'

const ROUNDS = 40

test('messages over one carrier are sent while another carrier is frozen', async (t) => {
  const [frozen, well] = [await startSmsc(), await startSmsc()]
  t.after(() => Promise.all([frozen.stop(), well.stop()]))
  const usual = { kind: 'smpp', host: '127.0.0.1', systemId: 'x', password: 'y' }
  const links = [
    { name: 'frozen', ...usual, port: frozen.port, window: 1, responseTimeoutSeconds: 40 },
    { name: 'well', ...usual, port: well.port },
  ]
  const routes = [{ prefixes: ['+1310'], links: ['frozen'] }, { links: ['well'] }]
  const file = path.join(temporaryFolder(t), 'carriers.json')
  writeFileSync(file, JSON.stringify({ links, routes }))
  const { send, message, until, kinds } = await sendingService(t, {
    roles: ['dispatch'],
    env: { LONGCODE_CARRIERS: file },
  })
  await until(await send({ to: '+13102000001' }), 'DELIVERED')
  frozen.freeze(true)
  const stuck = await send({ to: '+13102000002' })
  // More batches for the frozen link than the dispatcher submits at once, each with messages for the other one.
  const ids: string[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const to = (area: string) => `+1${area}200${1000 + i}`
    const [, other] = await Promise.all([send({ to: to('310') }), send({ to: to('212') })])
    ids.push(other)
  }
  await eventually(async () => {
    const all = await Promise.all(ids.map(message))
    return all.every(({ status }) => status === 'SENT' || status === 'DELIVERED')
  }, 'all messages of the other link are sent')
  assert.deepEqual(await kinds(stuck), ['created'], 'the frozen carrier has not responded')
  frozen.freeze(false)
  await until(stuck, 'DELIVERED')
})
