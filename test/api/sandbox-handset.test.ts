// GET /sandbox/handset and /sandbox/handset/{number}: the messages on simulated phones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testService } from '../harness.js'
import { ATT, idOf, sendingService, told, VZW } from '../sending.js'
import { assertFailureShapes } from './failure-shapes.js'

test('a phone shows messages in both directions, newest first', async (t) => {
  const { service, send, inbound, message } = await sendingService(t)
  const first = await send({ to: VZW })
  const answer = idOf(await inbound(VZW, 'Thanks'))
  await send({ to: ATT })
  for (const path of ['14155550107', '%2B14155550107']) {
    const { status, body } = await service.get(`/sandbox/handset/${path}`)
    assert.equal(status, 200)
    assert.deepEqual(body, {
      number: VZW,
      messages: [await message(answer), await message(first)],
    })
  }
  const quiet = await service.get('/sandbox/handset/14155550199')
  assert.deepEqual(quiet.body, { number: '+14155550199', messages: [] })
  const other = await service.otherAccount()
  const foreign = await service.get('/sandbox/handset/14155550107', { token: other.token })
  assert.deepEqual(foreign.body.messages, [])
})

test('phones with messages are listed by their last message', async (t) => {
  const { service, send, inbound, message } = await sendingService(t)
  assert.deepEqual((await service.get('/sandbox/handset')).body, { handsets: [] })
  await send({ to: VZW })
  const toAtt = await send({ to: ATT })
  const answer = idOf(await inbound(VZW, 'Thanks'))
  const { status, body } = await service.get('/sandbox/handset')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    handsets: [
      { number: VZW, lastMessage: await message(answer) },
      { number: ATT, lastMessage: await message(toAtt) },
    ],
  })
})

test('an invalid phone number returns not found', async (t) => {
  const service = await testService(t)
  for (const path of ['415', 'x', '%00', '1415555010789']) {
    const reply = await service.get(`/sandbox/handset/${path}`)
    assert.deepEqual(told(reply), [404, 'Number not found'])
    assert.deepEqual(reply.body.messages, [])
  }
})

test('showing phones requires the read scope', async (t) => {
  const service = await testService(t)
  const scope = 'read'
  const one = '/sandbox/handset/14155550107'
  await assertFailureShapes(service, { method: 'GET', url: one, failure: { messages: [] }, scope })
  const all = '/sandbox/handset'
  await assertFailureShapes(service, { method: 'GET', url: all, failure: { handsets: [] }, scope })
})
