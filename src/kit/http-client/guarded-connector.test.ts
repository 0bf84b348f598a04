// When a name, not a URL, leads to a private destination, the connection is refused when it is made, whatever
// DNS returned before. The test resolves the names; the servers are real.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { selfSigned } from '../../../test/self-signed.js'
import { readAllowList } from '../allow-list.js'
import { createHttpClient, type HttpFailureReason } from './http-client.js'
import { isPublicAddress } from './public-address.js'

type Lookup = (host: string) => Promise<readonly string[]>

function guardedClient(t: TestContext, lookup: Lookup, allowPrivate = false) {
  const limits = { timeoutMs: 5_000, maxResponseBytes: 1024, connectionsPerOrigin: 2 }
  const client = createHttpClient({ ...limits, allowPrivate, lookup })
  t.after(() => client.close())
  return client
}

/** A listener that counts connections, which distinguishes "refused" from "connected and failed". */
async function loopbackListener(t: TestContext) {
  const visits = { count: 0 }
  const server = createServer((socket) => {
    visits.count += 1
    socket.on('error', () => {})
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, visits }
}

function failsWith(reason: HttpFailureReason) {
  return (error: unknown) => {
    assert.equal((error as { reason?: string }).reason, reason, String(error))
    return true
  }
}

const HOSTILE_ANSWERS: readonly string[][] = [
  ['127.0.0.1'],
  ['127.8.8.8'],
  ['0.0.0.0'],
  ['10.1.2.3'],
  ['172.20.0.1'],
  ['192.168.0.1'],
  ['100.64.0.1'],
  ['100.100.100.200'],
  ['169.254.169.254'],
  ['168.63.129.16'],
  ['224.0.0.1'],
  ['255.255.255.255'],
  ['240.0.0.1'],
  ['198.18.0.1'],
  ['203.0.113.7'],
  ['::1'],
  ['::'],
  ['::7f00:1'],
  ['::ffff:127.0.0.1'],
  ['::ffff:10.0.0.1'],
  ['::ffff:0:127.0.0.1'],
  ['64:ff9b::127.0.0.1'],
  ['64:ff9b:1::1'],
  ['2002:7f00:1::1'],
  ['2001:0:1::1'],
  ['2001:db8::1'],
  ['fe80::1'],
  ['fe80::1%lo'],
  ['fc00::1'],
  ['fd00:ec2::254'],
  ['fec0::1'],
  ['ff02::1'],
  ['8.8.8.8', '127.0.0.1'],
  ['2606:4700:4700::1111', '::1'],
  ['8.8.8.8', '8.8.4.4', '169.254.169.254'],
]

test('a public-looking name with a private address behind it is never contacted', async (t) => {
  const { port, visits } = await loopbackListener(t)
  for (const addresses of HOSTILE_ANSWERS) {
    const client = guardedClient(t, async () => addresses)
    const sent = client.request({ method: 'GET', url: `http://hooks.example.com:${port}/` })
    await assert.rejects(sent, failsWith('refused_address'), addresses.join())
  }
  assert.equal(visits.count, 0)
})

const HOSTILE_URLS = [
  'http://127.0.0.1',
  'http://2130706433',
  'http://0x7f.1',
  'http://0x7f000001',
  'http://017700000001',
  'http://127.1',
  'http://0',
  'http://[::1]',
  'http://[::]',
  'http://[::7f00:1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://localhost',
  'http://a.localhost',
  'http://127。0。0。1',
]

test('no spelling of loopback reaches a listener there', async (t) => {
  const { port, visits } = await loopbackListener(t)
  const client = guardedClient(t, async () => ['127.0.0.1'])
  for (const url of HOSTILE_URLS) {
    const sent = client.request({ method: 'POST', url: `${url}:${port}/`, body: 'x' })
    await assert.rejects(sent, failsWith('refused_address'), url)
  }
  assert.equal(visits.count, 0)
})

test('a name that was public at registration and is loopback at delivery is refused', async (t) => {
  const { port, visits } = await loopbackListener(t)
  const answers = [['93.184.215.14'], ['127.0.0.1'], ['127.0.0.1']]
  const lookup = async () => answers.shift() ?? []
  assert.ok((await lookup()).every(isPublicAddress))

  const client = guardedClient(t, lookup)
  for (let attempt = 0; attempt < 2; attempt++) {
    const sent = client.request({ method: 'GET', url: `http://rebind.example.com:${port}/` })
    await assert.rejects(sent, failsWith('refused_address'))
  }
  assert.equal(visits.count, 0)
})

test('a connection resolves its name once, so a second DNS response cannot change it', async (t) => {
  const { port, visits } = await loopbackListener(t)
  const asked: string[] = []
  const lookup = async (host: string) => {
    asked.push(host)
    return asked.length === 1 ? ['127.0.0.1'] : ['169.254.169.254']
  }
  const client = guardedClient(t, lookup, true)
  const answer = await client.request({ method: 'GET', url: `http://once.example.com:${port}/` })
  assert.equal(answer.status, 200)
  assert.deepEqual(asked, ['once.example.com'])
  assert.equal(visits.count, 1)
})

test('a name that does not resolve, or resolves to nothing, is a dns failure', async (t) => {
  const unknown = guardedClient(t, () => Promise.reject(new Error('ENOTFOUND')))
  const nothing = guardedClient(t, async () => [])
  for (const client of [unknown, nothing]) {
    const sent = client.request({ method: 'GET', url: 'http://gone.example.com/' })
    await assert.rejects(sent, failsWith('dns'))
  }
})

test('TLS requests the name of the URL and refuses an untrusted certificate', async (t) => {
  const namesAsked: string[] = []
  const server = createTlsServer({
    ...selfSigned('hooks.example.com'),
    SNICallback: (name, done) => {
      namesAsked.push(name)
      done(null)
    },
  }).listen(0, '127.0.0.1')
  server.on('tlsClientError', () => {})
  await once(server, 'listening')
  t.after(() => server.close())

  const { port } = server.address() as AddressInfo
  const client = guardedClient(t, async () => ['127.0.0.1'], true)
  const sent = client.request({ method: 'GET', url: `https://hooks.example.com:${port}/` })
  await assert.rejects(sent, (error: Error) => {
    assert.match(error.message, /DEPTH_ZERO_SELF_SIGNED_CERT/)
    return failsWith('tls')(error)
  })
  assert.deepEqual(namesAsked, ['hooks.example.com'])
})

test('an https URL of a server without TLS is a tls failure', async (t) => {
  const { port } = await loopbackListener(t)
  const client = guardedClient(t, async () => ['127.0.0.1'], true)
  const sent = client.request({ method: 'GET', url: `https://plain.example.com:${port}/` })
  await assert.rejects(sent, failsWith('tls'))
})

test('an allowed host is reached at a private address, and another name is not', async (t) => {
  const { port, visits } = await loopbackListener(t)
  const limits = { timeoutMs: 5_000, maxResponseBytes: 1024, connectionsPerOrigin: 2 }
  let answer = '127.0.0.1'
  const client = createHttpClient({
    ...limits,
    allowPrivate: false,
    allow: readAllowList(['hooks.internal'])!,
    lookup: async () => [answer],
  })
  t.after(() => client.close())
  const post = (host: string) =>
    client.request({ method: 'POST', url: `http://${host}:${port}/hook` })
  assert.equal((await post('hooks.internal')).status, 200)
  await assert.rejects(post('hooks.example.com'), failsWith('refused_address'))
  await assert.rejects(post('other.internal'), failsWith('refused_address'))
  for (const port of [25, 5432, 6379]) {
    const url = `http://hooks.internal:${port}/` // allowed as a host, and not for other services
    await assert.rejects(client.request({ method: 'POST', url }), failsWith('refused_address'))
  }
  answer = '169.254.169.254' // DNS changed: a name never allows a metadata host
  const url = `http://hooks.internal:${port + 1 > 65_535 ? port - 1 : port + 1}/hook`
  await assert.rejects(client.request({ method: 'POST', url }), failsWith('refused_address'))
  assert.equal(visits.count, 1)
})
