// POST /v1/media: a file is uploaded, used by messages without an HTTP request to this service, and deleted after
// it expires.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import sharp from 'sharp'
import { sql } from '../../src/kit/postgres/sql.js'
import {
  type CallOptions,
  changesStorage,
  eventually,
  type Reply,
  type TestService,
} from '../harness.js'
import { fileOf, PNG } from '../media-server.js'
import { providerService } from '../providers/provider-service.js'
import { sendingService, told, VZW } from '../sending.js'

const DAY_S = 24 * 60 * 60

function upload(
  service: TestService,
  content: Buffer | string,
  type?: string,
  { token }: CallOptions = {},
): Promise<Reply> {
  const headers = type === undefined ? {} : { 'content-type': type }
  return service.call('POST', '/v1/media', content, { headers, ...(token && { token }) })
}

async function countFiles({ world, accountId }: TestService): Promise<number> {
  const rows = await world.db.query(sql`
    select hash from media_files where account_id = ${accountId}`)
  return rows.length
}

function picture(): Promise<Buffer> {
  const create = { width: 40, height: 30, channels: 3, background: '#284' } as const
  return sharp({ create }).png().toBuffer()
}

test('an uploaded picture is stored once and sent by its URL', async (t) => {
  const { service, send, until } = await sendingService(t, { roles: ['dispatch'] })
  const content = await picture()
  const first = await upload(service, content, 'image/png')
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.equal(first.body.warnings, undefined, 'bytes are not names')
  const { media } = first.body
  assert.deepEqual([media.type, media.bytes], ['image/png', content.length])
  assert.match(media.id, /^upl_[\w-]{43}$/)
  assert.ok(media.url.startsWith(`${service.world.config.publicUrl}/media/${service.accountId}/`))
  const lastsMs = new Date(media.expiresAt).getTime() - service.world.clock.now().getTime()
  assert.ok(lastsMs > 7 * DAY_S * 1000 - 60_000 && lastsMs <= (7 * DAY_S + 3600) * 1000)
  const again = await upload(service, content, 'application/octet-stream')
  assert.equal(again.body.media.id, media.id)
  assert.equal(await countFiles(service), 1)

  const { pathname } = new URL(media.url)
  const served = await service.app.inject({ url: pathname })
  assert.deepEqual(served.rawPayload, content)
  const head = await service.app.inject({ method: 'HEAD', url: pathname })
  assert.deepEqual([head.statusCode, head.rawPayload.length], [200, 0])
  assert.equal(head.headers['content-length'], String(content.length))

  const sent = await until(await send({ mediaUrls: [media.url] }), 'DELIVERED')
  assert.deepEqual(sent.mediaUrls, [media.url])
})

test('a provider gets an uploaded picture without an HTTP request to this service', async (t) => {
  const stage = await providerService(t, 'telnyx')
  const { service, send, until, fake } = stage
  const content = await picture()
  // The public address of this service does not resolve, so only the database can have the file.
  const { body } = await upload(service, content, 'image/png')
  assert.ok(body.media.url.startsWith('https://sms.ours.test/media/acc_'), body.media.url)
  await until(await send({ to: VZW, mediaUrls: [body.media.url] }), 'DELIVERED')
  const [given] = [fake.taken[0]!.fields.media_urls].flat() as string[]
  const served = await service.app.inject({ url: new URL(given!).pathname })
  assert.deepEqual(served.rawPayload, content)
})

test('an upload belongs to its account, expires, and is deleted', async (t) => {
  const { service, trySend, advance } = await sendingService(t, { roles: ['schedule'] })
  const other = await service.otherAccount('10')
  const content = await picture()
  const foreign = (await upload(service, content, 'image/png', { token: other.token })).body.media
  const own = (await upload(service, content, 'image/png')).body.media
  assert.notEqual(foreign.url, own.url)
  const refused = async (mediaUrls: string[], more = {}) =>
    told(await trySend({ mediaUrls, ...more }))
  assert.deepEqual(await refused([own.url, foreign.url]), [
    400,
    'mediaUrls[1] is an upload of another account. Upload the file with this account',
  ])
  const invalid = (i: number) =>
    `mediaUrls[${i}] is not a valid upload URL or has expired. Upload the file again`
  const forged = foreign.url.replace(other.accountId, service.accountId)
  assert.deepEqual(await refused([forged]), [400, invalid(0)])
  const at = (days: number) =>
    new Date(service.world.clock.now().getTime() + days * DAY_S * 1000).toISOString()
  assert.deepEqual(await refused([own.url], { scheduledAt: at(8) }), [
    400,
    'mediaUrls[0] expires before scheduledAt. Upload the file again closer to that time',
  ])
  assert.equal((await trySend({ mediaUrls: [own.url], scheduledAt: at(6) })).status, 200)
  const batch = await service.post('/v1/message/batch', {
    messages: [{ to: VZW, from: '+14155550100', body: 'Hi', mediaUrls: [foreign.url] }],
  })
  assert.match(batch.body.results[0].error, /^mediaUrls\[0\] is an upload of another account/)

  await advance(8 * DAY_S)
  assert.deepEqual(await refused([own.url]), [400, invalid(0)])
  const gone = await service.app.inject({ url: new URL(own.url).pathname })
  assert.equal(gone.statusCode, 404)
  await advance(3 * DAY_S)
  await eventually(async () => (await countFiles(service)) === 0, 'the expired file is deleted')
})

test('an unsendable file is refused at upload, by name', async (t) => {
  const { service } = await sendingService(t)
  for (const [content, type, status, text] of [
    [
      fileOf('image/heic', 24),
      'image/heic',
      415,
      'HEIC pictures are not supported. Send JPEG or PNG',
    ],
    [PNG, 'image/png', 415, 'The media cannot be sent: the picture is damaged'],
    [Buffer.from('<html>'), 'text/html', 415, 'The media type text/html cannot be sent'],
    [
      fileOf('application/pdf', 20),
      'image/png',
      415,
      'The media is declared as image/png, but its content is application/pdf',
    ],
    ['', undefined, 400, 'The file is empty. Send the file as the request body'],
    [
      'x',
      'multipart/form-data; boundary=x',
      415,
      'Send the file itself as the request body, with its Content-Type. Forms are not supported',
    ],
    [
      fileOf('application/pdf', 10_000_001),
      'application/pdf',
      413,
      'The request body is larger than 10 MB',
    ],
  ] as const) {
    assert.deepEqual(told(await upload(service, content, type)), [status, text])
  }
  assert.equal(await countFiles(service), 0)
  assert.equal(
    (await upload(service, fileOf('application/pdf', 10_000_000), 'application/pdf')).status,
    200,
  )
  assert.equal(
    (await upload(service, Buffer.from('a,b\n'), 'text/csv')).body.media.type,
    'text/csv',
  )
  const reader = await service.tokenWith(['read'])
  assert.equal((await upload(service, 'a', 'text/plain', { token: reader })).status, 403)
})

test('an account stores a thousand uploads at a time', async (t) => {
  const { service } = await sendingService(t)
  const { world, accountId } = service
  changesStorage(world)
  const now = world.clock.now()
  const until = new Date(now.getTime() + 1_000_000)
  await world.db.query(sql`
    insert into media_files (account_id, hash, bytes_max, content_type, content, used_at, look_at, uploaded_until)
    select ${accountId}, 'h' || n, 0, 'text/plain', 'x', ${now}, ${until}, ${until}
    from generate_series(1, 999) n`)
  assert.equal((await upload(service, 'a', 'text/plain')).status, 200)
  const full = await upload(service, 'b', 'text/plain')
  assert.deepEqual([full.status, full.body.code], [429, 'uploads_full'])
  assert.equal((await upload(service, 'a', 'text/plain')).status, 200, 'it is already stored')
})

test('two uploads of an account arrive at a time, and an aborted one frees its slot', async (t) => {
  const { service } = await sendingService(t)
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.address() as { port: number }
  const answers: string[] = []
  const begin = () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('data', (data) => answers.push(String(data)))
    socket.write(
      `POST /v1/media HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n` +
        'Content-Type: text/plain\r\nContent-Length: 1000\r\n\r\nabc',
    )
    return socket
  }
  const sockets = [begin(), begin(), begin()]
  await eventually(async () => answers.length > 0, 'no room for a third')
  assert.match(answers[0]!, /^HTTP\/1.1 429 /)
  assert.match(answers[0]!, /\r\nretry-after: 1\r\n/)
  assert.match(answers[0]!, /"code":"uploads_busy"/)
  for (const socket of sockets) socket.destroy()
  await eventually(
    async () => (await upload(service, 'a', 'text/plain')).status === 200,
    'room again',
  )
})
