// Contacts and saved replies.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Json, testService } from '../harness.js'
import { told } from '../sending.js'

test('contacts are created, replaced, listed by number, found by name, and deleted', async (t) => {
  const service = await testService(t)
  const put = (digits: string, body: Json) => service.call('PUT', `/v1/contact/${digits}`, body)
  await put('14155550102', { name: 'Ben Ode', fields: { orderNumber: '7' } })
  await put('14155550101', { name: 'Ana Rivera' })
  await put('14155550103', { name: 'ANAÏS' })
  const names = async (query: string): Promise<string[]> => {
    const { body } = await service.get(`/v1/contact/list${query}`)
    return body.contacts.map((contact: { name: string }) => contact.name)
  }
  assert.deepEqual(await names(''), ['Ana Rivera', 'Ben Ode', 'ANAÏS'])
  assert.deepEqual(await names('?limit=1&after=14155550101'), ['Ben Ode'])
  assert.deepEqual((await names('?name=ana')).sort(), ['ANAÏS', 'Ana Rivera'])
  assert.deepEqual(await names('?name=rivera'), [])
  const two = await names('?numbers=%2B14155550102,14155550103,+14155550109')
  assert.deepEqual(two.sort(), ['ANAÏS', 'Ben Ode'])
  await put('14155550102', { name: 'Benjamin Ode' })
  const { body } = await service.get('/v1/contact/14155550102')
  assert.deepEqual([body.contact.name, body.contact.fields], ['Benjamin Ode', {}])
  assert.equal((await service.call('DELETE', '/v1/contact/14155550102')).status, 200)
  assert.deepEqual(told(await service.get('/v1/contact/14155550102')), [404, 'Contact not found'])
  assert.deepEqual(told(await service.call('DELETE', '/v1/contact/x')), [404, 'Contact not found'])
})

test('bad contacts are refused by field', async (t) => {
  const service = await testService(t)
  const fieldOf = async (body: Json) =>
    (await service.call('PUT', '/v1/contact/14155550101', body)).body.details?.[0]?.field
  assert.equal(await fieldOf({}), 'name')
  assert.equal(await fieldOf({ name: ' ' }), 'name')
  assert.equal(await fieldOf({ name: 'x'.repeat(101) }), 'name')
  assert.match(await fieldOf({ name: 'Ana', fields: { order: 7 } }), /^fields/)
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, 'x']))
  assert.match(await fieldOf({ name: 'Ana', fields: many }), /^fields/)
  assert.match(await fieldOf({ name: 'Ana', fields: { 'order number': 'x' } }), /^fields/)
  const { body: list } = await service.get('/v1/contact/list?numbers=14155550101,x')
  assert.equal(list.details[0].field, 'numbers')
  const bad = await service.call('PUT', '/v1/contact/4155550101', { name: 'Ana' })
  assert.equal(bad.status, 400)
})

test('saved replies are created, changed, listed by name, and deleted, up to a limit', async (t) => {
  const service = await testService(t)
  const create = (name: string) =>
    service.post('/v1/saved-reply/create', { name, body: 'Hi {{name}}' })
  const { body: created } = await create('Shipped')
  const { id } = created.savedReply
  await create('closed')
  const changed = await service.call('PATCH', `/v1/saved-reply/${id}`, { body: 'On its way' })
  assert.deepEqual(
    [changed.body.savedReply.name, changed.body.savedReply.body],
    ['Shipped', 'On its way'],
  )
  const list = async () => (await service.get('/v1/saved-reply/list')).body.savedReplies
  assert.deepEqual(
    (await list()).map((reply: Json) => reply.name),
    ['closed', 'Shipped'],
  )
  assert.equal((await service.call('DELETE', `/v1/saved-reply/${id}`)).status, 200)
  for (const method of ['DELETE', 'PATCH'] as const) {
    const body = method === 'PATCH' ? { name: 'x' } : undefined
    assert.deepEqual(told(await service.call(method, `/v1/saved-reply/${id}`, body)), [
      404,
      'Saved reply not found',
    ])
  }
  for (let i = 1; i < 200; i += 1) assert.equal((await create(`Reply ${i}`)).status, 200)
  assert.equal((await create('One too many')).body.code, 'saved_replies_full')
  const { token } = await service.otherAccount()
  assert.deepEqual((await service.get('/v1/saved-reply/list', { token })).body.savedReplies, [])
})
