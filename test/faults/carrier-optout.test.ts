// A provider refuses a message because of a STOP that never came to us, and says so once: the message fails and the
// phone has opted out in one commit, so that no death of a process comes between.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { eventually } from '../harness.js'
import { rented } from '../providers/rented.js'
import { TMO } from '../sending.js'
import { WAITING } from '../waiting.js'

test('a message that failed for an opt-out there is never seen without the opt-out', async (t) => {
  const { send, until, fake, campaignId, service, message } = await rented(t, 'telnyx')
  fake.refuses.set(TMO, '40300')
  const holder = new pg.Client(service.databaseUrl)
  holder.on('error', () => {})
  await holder.connect()
  t.after(() => holder.end())
  await holder.query('begin')
  await holder.query('lock table optouts in exclusive mode') // whoever writes to it waits
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
