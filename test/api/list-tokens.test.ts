// GET /v1/token/list: the account's tokens, newest first, in pages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testService } from '../harness.js'

test('tokens are listed newest first with their names, each on one page only', async (t) => {
  const service = await testService(t)
  const made: [string, string | null][] = []
  for (const name of ['one', 'two', undefined]) {
    const { body } = await service.post('/v1/token/create', { name })
    made.unshift([body.token.id, name ?? null])
  }
  const seen: [string, string | null][] = []
  for (let after = '', hasMore = true; hasMore; after = `&after=${seen.at(-1)![0]}`) {
    const { body } = await service.get(`/v1/token/list?limit=2${after}`)
    hasMore = body.hasMore
    seen.push(...body.tokens.map((token: { id: string; name: string }) => [token.id, token.name]))
    assert.ok(seen.length <= 4, JSON.stringify(seen))
  }
  assert.deepEqual(seen.slice(0, 3), made)
  assert.equal(seen.length, 4, 'including the token of the request')
  const { body } = await service.get('/v1/token/list?limit=2&skip=1')
  assert.deepEqual(
    body.tokens.map(({ id }: { id: string }) => id),
    [made[1]![0], made[2]![0]],
  )
})

test('an impossible date is refused and names the field', async (t) => {
  const service = await testService(t)
  const { status, body } = await service.post('/v1/token/create', {
    expiresAt: '2999-02-30T00:00:00Z',
  })
  assert.equal(status, 400)
  assert.match(body.error, /^expiresAt must be /)
})
