// Every outgoing request is guarded. Clients for addresses of customers reach no private address in production, whatever
// DNS answers. Clients for addresses of the operator follow no redirect and read no endless response. A new user of a
// client, or another way to connect, needs a line in USERS, and its request below.

import assert from 'node:assert/strict'
import dns from 'node:dns/promises'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import inject from 'light-my-request'
import { createProviderClient } from '../../src/carriers/providers/provider-client.js'
import { defineCodes } from '../../src/carriers/providers/provider-codes.js'
import { Metrics } from '../../src/kit/metrics.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { SpanExporter } from '../../src/kit/tracing/span-exporter.js'
import { createOidcClient } from '../../src/people/oidc.js'
import { fakeCarrier, fakeRoom } from '../fake-carrier.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import { eventually, listenerOf, type TestService, testService } from '../harness.js'
import { PNG } from '../media-server.js'
import { VZW } from '../sending.js'

/** Every file that can open a connection, with what tests it. */
const USERS: Record<string, string> = {
  'src/kit/http-client/http-client.ts': 'the guarded client: http-client.test.ts',
  'src/kit/http-client/guarded-connector.ts': 'the guard: guarded-connector.test.ts',
  'src/webhooks/deliver/delivery-sender.ts': 'below: webhooks and callbacks',
  'src/messages/message-room.ts': 'below: outbound and inbound media',
  'src/carriers/providers/http-link.ts': 'provider-links.test.ts; the same client as below',
  'src/carriers/providers/provider-client.ts': 'below: numbers, registration, and setup',
  'src/carriers/providers/provisioning.ts': 'creates the one before',
  'src/carriers/settings/provider-kind.ts': 'creates the one before',
  'src/kit/tracing/span-exporter.ts': 'below: traces',
  'src/people/oidc.ts': 'below: its requests go through oidc-fetch.ts',
  'src/people/oidc-fetch.ts': 'below: company sign-in',
  'src/mail/smtp.ts': 'the mail server of the operator: alert-emails.test.ts',
  'src/smpp/sockets/connect-smpp.ts': 'carriers of the operator: smpp-link.test.ts',
  'src/kit/postgres/pool.ts': 'the database',
  'src/kit/postgres/servers.ts': 'the database',
}
const CONNECTS =
  /createHttpClient\(|createProviderClient\(|from ["']undici["']|import\('(?:openid-client|nodemailer)'\)|(?<![.\w])fetch\(|import \w+ from ["']node:(?:net|tls|https?|http2)["']|import \{[^}]*\b(?:connect|createConnection|request)\b[^}]*\} from ["']node:(?:net|tls|http|https|http2|dgram)["']/
/** The command line: requests to the service that its user names, and checks of this machine. */
const COMMANDS = /^src\/(?:commands|kit\/embedded)\//

function sources(): string[] {
  const names = readdirSync('src', { recursive: true }) as string[]
  return names.filter((name) => /\.[tj]s$/.test(name) && !/\.test\.[tj]s$/.test(name))
}

test('nothing else in the program opens connections', () => {
  const found = sources()
    .map((name) => path.join('src', name))
    .filter((file) => !COMMANDS.test(file) && CONNECTS.test(textOf(file)))
    .map((file) => file.replace(/\.js$/, '.ts'))
  assert.deepEqual(
    found.filter((file) => !(file in USERS)),
    [],
    'a new client: use createHttpClient, add it to USERS, and test it here',
  )
})

/** Without comments. */
function textOf(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

async function server(t: TestContext, listener: RequestListener) {
  const hits: string[] = []
  const running = createServer((request, response) => {
    hits.push(request.url!)
    request.resume()
    listener(request, response)
  }).listen(0, '127.0.0.1')
  await once(running, 'listening')
  t.after(() => {
    running.closeAllConnections()
    running.close()
  })
  return { hits, port: (running.address() as AddressInfo).port }
}

/** Answers of DNS by name, for every client of this process. */
function resolveAs(t: TestContext, answers: Record<string, string[]>): void {
  const { lookup } = dns
  t.after(() => {
    dns.lookup = lookup
    syncBuiltinESMExports()
  })
  dns.lookup = (async (host: string) => {
    const found = answers[host]
    if (!found) throw Object.assign(new Error('unknown host'), { code: 'ENOTFOUND' })
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }) as unknown as typeof dns.lookup
  syncBuiltinESMExports()
}

const HOSTS: Record<string, string[]> = {
  'private.example.com': ['127.0.0.1'],
  'mixed.example.com': ['93.184.216.34', '127.0.0.1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
}

const PRODUCTION = {
  LONGCODE_MODE: 'production',
  DATABASE_URL: 'postgres://unused@localhost/unused',
}

/** A request of every kind to the host, and what there was to see of it in the end. */
async function requestAll(service: TestService, host: string, port: number, index: number) {
  const { world } = service
  const { campaignId } = await activeCampaign(service)
  const forSale = `+1415200${7000 + index}`
  await addInventory(service, [forSale])
  const number = await buyNumber(service, campaignId)
  const base = `http://${host}:${port}`
  const webhook = await service.post(`/v1/campaign/${campaignId}/webhooks`, {
    url: `${base}/webhook`,
    eventTypes: ['message.status'],
  })
  assert.equal(webhook.status, 200, JSON.stringify(webhook.body))
  const test = await service.post(`/v1/webhook/${webhook.body.webhook.id}/test`, {})
  const { body } = await service.post('/v1/account/twilio')
  const { accountSid, authToken } = body.twilio
  const callback = await inject(listenerOf(service), {
    method: 'POST',
    url: `/2010-04-01/Accounts/${accountSid}/Messages.json`,
    headers: {
      authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({
      ...{ From: number, To: VZW, Body: 'Hi', StatusCallback: `${base}/callback` },
    }).toString(),
  })
  assert.equal(callback.statusCode, 201, callback.body)
  const mms = await service.post('/v1/message/send', {
    ...{ campaign: campaignId, to: VZW, body: 'Look', mediaUrls: [`${base}/outbound`] },
  })
  assert.equal(mms.status, 200, JSON.stringify(mms.body))
  const room = fakeRoom(world, fakeCarrier())
  room.run()
  await room.listener.inbound({
    ...{ link: 'fake', carrierId: null, from: VZW, to: number, body: 'Look', part: null },
    mediaUrls: [`${base}/inbound`],
  })
  const step = () => room.inboundMediaLoop.step(new AbortController().signal)
  await eventually(async () => {
    await step()
    const [open] = await world.db.query<{ open: number }>(sql`
      select count(*)::int as open from media_fetches where attempts = 0`)
    return open!.open === 0
  }, 'the attempt for inbound media')
  await eventually(async () => {
    const { body } = await service.get(`/v1/message/${mms.body.id}`)
    return body.message.status !== 'QUEUED'
  }, 'the end of the MMS')
  await eventually(async () => {
    const [tried] = await world.db.query<{ subscribers: number }>(sql`
      select count(distinct subscriber_id)::int as subscribers from (
        select subscriber_id from event_deliveries where attempts > 0
        union all select subscriber_id from event_arrivals) as tried`)
    return tried!.subscribers >= 2
  }, 'an attempt for each endpoint')
  return { mms: mms.body.id as string, delivery: test.body.delivery.id as string }
}

const KINDS = ['/callback', '/inbound', '/outbound', '/webhook']

test('in production, no client of a customer’s address reaches a private one, whatever DNS answers', async (t) => {
  const answer: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(PNG)
  }
  const reached = await server(t, answer)
  resolveAs(t, HOSTS)
  const control = await testService(t, { roles: ['deliver'], env: { LONGCODE_RATE_LIMIT: '0' } })
  await requestAll(control, 'private.example.com', reached.port, 0)
  const isHit = (kind: string) => reached.hits.includes(kind)
  await eventually(async () => KINDS.every(isHit), 'a hit of each kind')

  const env = { ...PRODUCTION, LONGCODE_RATE_LIMIT: '0' }
  const service = await testService(t, { roles: ['deliver'], env, carrier: fakeCarrier() })
  const { hits, port } = await server(t, answer)
  for (const [i, host] of Object.keys(HOSTS).entries()) {
    const { mms } = await requestAll(service, host, port, i + 1)
    const { body } = await service.get(`/v1/message/${mms}`)
    assert.equal(body.message.status, 'FAILED', host)
    assert.equal(body.message.errorCode, 1390, host)
  }
  assert.deepEqual(hits, [], 'nothing arrived')
})

/** A request of each client for addresses that the operator chose. Rejects, or logs, if the answer is no use. */
const OPERATED: Record<string, (url: string) => Promise<unknown>> = {
  'numbers, registration, and setup': async (url) => {
    const client = createProviderClient({
      codes: defineCodes({ throttled: [], fault: [] }),
      parseError: () => ({ code: null, text: null }),
      timeoutMs: 30_000,
    })
    try {
      return await client.requestJson({ method: 'GET', url, headers: { authorization: 'secret' } })
    } finally {
      await client.close()
    }
  },
  'company sign-in': (url) =>
    createOidcClient(
      {
        ...{ issuer: url, clientId: 'id', clientSecret: 'secret', scope: 'openid' },
        groupsClaim: 'groups',
      } as Parameters<typeof createOidcClient>[0],
      'https://sms.example.com/back',
    ).start(),
  traces: async (url) => {
    const warnings: string[] = []
    const exporter = new SpanExporter({
      ...{ url, headers: { authorization: 'secret' }, resource: {} },
      metrics: new Metrics(),
      warn: (text) => warnings.push(text),
    })
    exporter.add({
      ...{ traceId: '0'.repeat(32), spanId: '1'.repeat(16), parentSpanId: null, name: 'x' },
      ...{ kind: 'client', startMs: 0, endMs: 1, attributes: {}, error: null },
    })
    await exporter.stop()
    if (warnings.length > 0) throw new Error(warnings[0])
  },
}

test('no client of the operator’s addresses follows a redirect', async (t) => {
  const elsewhere = await server(t, (_, response) => response.end('{}'))
  const { hits, port } = await server(t, (_, response) => {
    const location = `http://127.0.0.1:${elsewhere.port}/`
    response.writeHead(302, { location }).end()
  })
  for (const [name, request] of Object.entries(OPERATED)) {
    hits.length = 0
    await assert.rejects(request(`http://127.0.0.1:${port}`), name)
    assert.ok(hits.length > 0, `${name} sent its request`)
  }
  assert.deepEqual(elsewhere.hits, [])
})

const CHUNK = ' '.repeat(64 * 1024)
/** More than any of them needs, with what is on the way. */
const READ_BYTES_MAX = 32 * 1024 * 1024

test('no client of the operator’s addresses reads an endless response', async (t) => {
  let open = 0
  let sent = 0
  const { hits, port } = await server(t, (_, response) => {
    open += 1
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      let hasRoom = true
      while (hasRoom && !response.destroyed) {
        sent += CHUNK.length
        hasRoom = response.write(CHUNK)
      }
      if (!response.destroyed) response.once('drain', more)
    }
    response.once('close', () => {
      open -= 1
    })
    more()
  })
  for (const [name, request] of Object.entries(OPERATED)) {
    hits.length = 0
    sent = 0
    await request(`http://127.0.0.1:${port}`).catch(() => {})
    assert.ok(hits.length > 0, `${name} sent its request`)
    await eventually(async () => open === 0, `${name} hangs up`)
    assert.ok(sent < READ_BYTES_MAX, `${name} reads ${sent} bytes`)
  }
})
