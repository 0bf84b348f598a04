// GET and PUT /operator/v1/account/{id}/branding, and what strangers see of it at GET /console/branding.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testService } from '../harness.js'
import { OPERATOR_TOKEN } from './operator-service.js'

const LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const KITE = { name: 'Kite Texting', color: '#FFEE00', support: 'help@kite.example' }

async function begin(t: Parameters<typeof testService>[0]) {
  const env = { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN, LONGCODE_BRAND_NAME: 'Our Host' }
  const service = await testService(t, { env })
  const set = (body: unknown, id = service.accountId) =>
    service.call('PUT', `/operator/v1/account/${id}/branding`, body, { token: OPERATOR_TOKEN })
  return { service, set }
}

test('an account has its own branding, and the installation’s where it has none', async (t) => {
  const { service, set } = await begin(t)
  const shown = async (query = `?account=${service.accountId}`) =>
    (await service.get(`/console/branding${query}`)).body.branding
  assert.equal((await shown()).name, 'Our Host')
  const { body } = await set({ ...KITE, logo: LOGO })
  assert.equal(body.branding.textColor, '#000000')
  const other = await service.otherAccount()
  for (const query of ['', `?account=${other.accountId}`, '?account=acc_nobody', '?account=x']) {
    assert.equal((await shown(query)).name, 'Our Host', query)
  }
  await set({ name: null })
  const kept = await service.call(
    'GET',
    `/operator/v1/account/${service.accountId}/branding`,
    undefined,
    { token: OPERATOR_TOKEN },
  )
  assert.deepEqual(
    [kept.body.branding.name, kept.body.branding.color, kept.body.branding.support],
    [null, '#ffee00', 'help@kite.example'],
  )
})

test('a logo is served as an image that can run nothing', async (t) => {
  const { service, set } = await begin(t)
  const { body } = await set({ logo: LOGO })
  const { logoUrl } = body.branding
  const reply = await service.app.inject({ method: 'GET', url: logoUrl })
  assert.equal(reply.statusCode, 200)
  assert.deepEqual(reply.rawPayload, Buffer.from(LOGO, 'base64'))
  assert.equal(reply.headers['content-type'], 'image/png')
  assert.equal(reply.headers['x-content-type-options'], 'nosniff')
  assert.equal(reply.headers['content-security-policy'], "default-src 'none'; sandbox")
  assert.match(String(reply.headers['cache-control']), /immutable/)
  const old = await service.app.inject({ method: 'GET', url: `${logoUrl}0` })
  assert.equal(old.headers['cache-control'], 'no-store')
  const none = await service.get('/console/branding/logo', { token: null })
  assert.deepEqual([none.status, none.body.code], [404, 'media_missing'])
})

test('bad values are refused by field, and nothing changes', async (t) => {
  const { service, set } = await begin(t)
  const svg = Buffer.from('<svg><script>alert(1)</script></svg>').toString('base64')
  const cases: [object, string][] = [
    [{ name: 'x'.repeat(41) }, 'name must have at most 40 characters'],
    [{ color: 'teal' }, 'color must be a color such as #006972'],
    [{ support: 'javascript:x' }, 'support must be an email address or an https URL'],
    [{ logo: svg }, 'logo must be a PNG, JPEG, or WebP image of at most 128 KiB'],
    [
      { ...KITE, logo: 'x'.repeat(180_000) },
      'logo must be a PNG, JPEG, or WebP image of at most 128 KiB',
    ],
  ]
  for (const [body, error] of cases) {
    const reply = await set(body)
    assert.deepEqual([reply.status, reply.body.error], [400, error])
  }
  assert.equal((await set(KITE, 'acc_nobody')).status, 404)
  const { body } = await service.get(`/console/branding?account=${service.accountId}`)
  assert.equal(body.branding.color, null)
  const own = await service.call('PUT', `/operator/v1/account/${service.accountId}/branding`, KITE)
  assert.equal(own.status, 401, 'customers cannot change it')
})

test('a change is in the audit log, with the logo by its hash', async (t) => {
  const { service, set } = await begin(t)
  await set({ name: 'Kite', logo: LOGO })
  const { body } = await service.call(
    'GET',
    '/operator/v1/audit/list?act=account.branding',
    undefined,
    { token: OPERATOR_TOKEN },
  )
  const [{ before, after }] = body.acts
  assert.equal(before.name, null)
  assert.equal(after.name, 'Kite')
  assert.match(after.logo, /^[0-9a-f]{16}$/)
})
