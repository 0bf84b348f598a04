// The far side of the provider bench, each role in a separate process: a provider that accepts every message
// immediately and sends its callbacks on command, and a bare loop of the same POSTs that a link makes.

import { type ChildProcess, fork } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Agent } from 'undici'

/** Concurrent requests of the link and of the bare loop. */
export const CONCURRENCY = 20
const CALLERS = 32
const BARE_REQUESTS = 8_000
const BARE_WARM_UP = 3_000

export interface CallResult {
  count: number
  seconds: number
  failures: number
}

export interface ProviderPeer {
  url: string
  publicKey: string
  pid: number
  /** Messages accepted so far. */
  taken: () => Promise<number>
  /** Reports all messages accepted since the last report as delivered. */
  callBack: (port: number) => Promise<CallResult>
  stop: () => void
}

const FILE = fileURLToPath(import.meta.url)

export async function startProvider(): Promise<ProviderPeer> {
  const child = fork(FILE, ['provide'])
  const { url, publicKey } = await answerOf<{ url: string; publicKey: string }>(child)
  const ask = async <T>(question: object): Promise<T> => {
    child.send(question)
    return answerOf<T>(child)
  }
  return {
    ...{ url, publicKey, pid: child.pid! },
    taken: () => ask({ ask: 'taken' }),
    callBack: (port) => ask({ ask: 'call', port }),
    stop: () => void child.kill(),
  }
}

/** POSTs per second to the provider, without a service behind them. */
export async function measureBarePosts(url: string): Promise<number> {
  return answerOf<number>(fork(FILE, ['bare', url]))
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve) => child.once('message', (answer) => resolve(answer as T)))
}

interface Taken {
  id: string
  path: string
  to: string
}

async function provide(): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const taken: Taken[] = []
  let count = 0
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { to = '', webhook_url: statusUrl } = body === '' ? {} : JSON.parse(body)
    count += 1
    const id = `40385f64-5717-4562-b3fc-${String(count).padStart(12, '0')}`
    if (statusUrl) taken.push({ id, to, path: new URL(statusUrl).pathname })
    const phone = { phone_number: to, carrier: 'Verizon Wireless', line_type: 'Wireless' }
    const answer = JSON.stringify({ data: { id, to: [{ ...phone, status: 'queued' }] } })
    response.setHeader('content-type', 'application/json')
    response.end(answer)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  process.on('message', async ({ ask, port }: { ask: string; port: number }) => {
    if (ask === 'taken') return void process.send!(taken.length + called)
    const calls = taken.splice(0).map((one) => callOf(one, privateKey))
    called += calls.length
    process.send!(await callAll(calls, port))
  })
  let called = 0
  const { port } = server.address() as AddressInfo
  process.send!({ url: `http://127.0.0.1:${port}`, publicKey: raw.toString('base64') })
}

/** The whole request, signed. */
function callOf({ id, to, path }: Taken, key: Parameters<typeof sign>[2]): Buffer {
  const phone = { phone_number: to, carrier: 'Verizon Wireless', line_type: 'Wireless' }
  const payload = { id, direction: 'outbound', to: [{ ...phone, status: 'delivered' }], errors: [] }
  const data = { event_type: 'message.finalized', id, occurred_at: new Date(), payload }
  const body = JSON.stringify({ data, meta: { attempt: 1 } })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64')
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: bench.test\r\ncontent-type: application/json\r\n` +
      `telnyx-timestamp: ${timestamp}\r\ntelnyx-signature-ed25519: ${signature}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

async function callAll(calls: readonly Buffer[], port: number): Promise<CallResult> {
  const state = { next: 0, failures: 0 }
  const started = performance.now()
  await Promise.all(Array.from({ length: CALLERS }, () => caller(calls, port, state)))
  const seconds = (performance.now() - started) / 1000
  return { count: calls.length, seconds, failures: state.failures }
}

/** One after another over one connection. A response is small and arrives in one piece. */
function caller(
  calls: readonly Buffer[],
  port: number,
  state: { next: number; failures: number },
): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    const send = () => {
      const call = calls[state.next]
      state.next += 1
      if (call) socket.write(call)
      else socket.end(() => resolve())
    }
    socket.on('connect', send)
    socket.on('error', () => {
      state.failures += 1
      resolve()
    })
    socket.on('data', (chunk) => {
      if (!chunk.subarray(0, 12).equals(OK)) state.failures += 1
      send()
    })
  })
}

const OK = Buffer.from('HTTP/1.1 200')

async function bareLoop(url: string): Promise<number> {
  const agent = new Agent({ connections: CONCURRENCY })
  const body = JSON.stringify({
    ...{ from: '+14152000001', to: '+14155550107', text: 'Your table is ready', type: 'SMS' },
    ...{ encoding: 'gsm7', use_profile_webhooks: false },
  })
  const headers = { authorization: 'Bearer KEY', 'content-type': 'application/json' }
  const post = async (count: number) => {
    let left = count
    const worker = async () => {
      while (left-- > 0) {
        const reply = await agent.request({
          ...{ origin: url, path: '/v2/messages', method: 'POST', headers, body },
        })
        await reply.body.json()
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  }
  await post(BARE_WARM_UP)
  const started = performance.now()
  await post(BARE_REQUESTS)
  return BARE_REQUESTS / ((performance.now() - started) / 1000)
}

if (process.argv[2] === 'provide' && process.send) await provide()
if (process.argv[2] === 'bare' && process.send) {
  const perSecond = await bareLoop(process.argv[3]!)
  process.send(perSecond, () => process.exit(0))
}
