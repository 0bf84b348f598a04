// A receipt reaches one process while another still records that the carrier accepted the message. The receipt must
// count, whichever of the two comes first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { eventually, writesMessages } from '../harness.js'
import { sendingService } from '../sending.js'
import { WAITING } from '../waiting.js'

test('a receipt that arrives while another process records the submit is still applied', async (t) => {
  const { service, send, message } = await sendingService(t)
  const { world, accountId, databaseUrl } = service
  writesMessages(world)
  const id = await send()
  const other = new pg.Client(databaseUrl)
  other.on('error', () => {})
  await other.connect()
  t.after(() => other.end())
  await other.query('begin')
  await other.query(
    `update messages set status = 'SENT', sequence = 1, due_at = null
     where account_id = $1 and id = $2`,
    [accountId, id],
  )

  const { listener } = fakeRoom(world, fakeCarrier())
  const of = { accountId, id }
  const received = listener.receipt({ link: 'fake', of, status: 'DELIVERED', errorCode: null })
  await eventually(
    async () => (await world.db.query(WAITING)).length > 0,
    'the receipt waits for the record of the submit',
  )
  await other.query('commit')
  await received
  assert.equal((await message(id)).status, 'DELIVERED')
})
