// A provider refuses a message because of a STOP that never reached us, and reports it only once. The message fails and
// the opt-out is stored in one commit, so a crash cannot separate the two.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { eventually } from '../harness.js'
import { providerService } from '../providers/provider-service.js'
import { TMO } from '../sending.js'
import { WAITING } from '../waiting.js'

test('a message that fails because of an opt-out at the provider is never visible without the opt-out', async (t) => {
  const { send, until, fake, campaignId, service, message } = await providerService(t, 'telnyx')
  fake.refuses.set(TMO, '40300')
  const holder = new pg.Client(service.databaseUrl)
  holder.on('error', () => {})
  await holder.connect()
  t.after(() => holder.end())
  await holder.query('begin')
  await holder.query('lock table optouts in exclusive mode') // writers wait
  const id = await send({ to: TMO })
  await eventually(
    async () => (await service.world.db.patient.query(WAITING)).length > 0,
    'the opt-out waits to be written',
  )
  assert.notEqual((await message(id)).status, 'FAILED')
  await holder.query('rollback')
  assert.equal((await until(id, 'FAILED')).errorCode, 1330)
  const { body } = await service.get(`/v1/campaign/${campaignId}/optouts`)
  assert.deepEqual(
    body.optouts.map((one: Record<string, unknown>) => [one.recipient, one.messageId]),
    [[TMO, id]],
  )
})
