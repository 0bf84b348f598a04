// The event stream of a person whose access changes while it is open: it ends, and opens again only with what is left.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testService } from '../harness.js'
import { cookiesOf, type Joined, personWith } from '../people-fixtures.js'
import { openStream } from './event-stream.js'

test('an open stream ends when the role of its person is reduced or revoked', async (t) => {
  const service = await testService(t)
  const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const owner = await personWith(service, 'owner')
  const open = ({ cookie }: Joined) => openStream(t, service, base, { cookie })
  const change = async ({ userId }: Joined, role: string | null) => {
    const url = `/console/people/${userId}`
    const method = role === null ? 'DELETE' : 'PATCH'
    const reply = await owner.request(method, url, role === null ? undefined : { role })
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
  }
  const person = await personWith(service, 'admin')
  const full = await open(person)
  assert.equal(full.status, 200)
  await change(person, 'read-only')
  await full.ended
  const reduced = await open(person)
  assert.equal(reduced.status, 200)
  await change(person, 'billing')
  await reduced.ended
  assert.equal((await open(person)).status, 403)
  await change(person, 'agent')
  const last = await open(person)
  await change(person, null)
  await last.ended
  assert.equal((await open(person)).status, 403)
})

test('a stream ends when its session shows another account', async (t) => {
  const service = await testService(t)
  const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const other = await service.otherAccount()
  const email = 'ana@example.com'
  const ana = await personWith(service, 'owner', email)
  const invited = await service.post(
    '/console/people/invitation',
    { email, role: 'agent' },
    { token: other.token },
  )
  const code = invited.body.url.split('#k=')[1]
  const joined = await ana.request('POST', '/console/invitation/accept', { code })
  assert.equal(joined.status, 200)
  const cookie = cookiesOf(joined)
  const stream = await openStream(t, service, base, { cookie })
  assert.equal(stream.status, 200)
  const headers = { cookie, 'x-longcode-console': '1' }
  const body = { accountId: service.accountId }
  const switched = await service.call('POST', '/console/session/account', body, {
    token: null,
    headers,
  })
  assert.equal(switched.status, 200)
  await stream.ended
})
