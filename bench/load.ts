// A cheap load generator: keep-alive connections that send one prepared request after the other. All responses of a run
// have the same length, so counting bytes counts responses.
// Runs in a separate process (see `measureLoad`), so it does not share the server's thread.

import { fork } from 'node:child_process'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { watchProcess } from './chaos/processes/watchdog.js'

export interface Load {
  port: number
  path: string
  token: string
  /** One body per request, used in turn. */
  bodies: string[]
  /** One per body, if the bodies belong to several accounts. */
  tokens?: string[]
  /** Instead of JSON with the token, for all requests. */
  headers?: { authorization: string; 'content-type': string }
  connections: number
  seconds: number
  /** Warm-up, not counted. */
  warmUpSeconds: number
}

export interface LoadResult {
  perSecond: number
  count: number
  p50Ms: number
  p99Ms: number
  /** Status lines other than 200. */
  failures: number
  /** The generator's own CPU time per response. */
  clientUs: number
}

export function measureLoad(load: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['generate'])
    watchProcess(child)
    child.once('message', (result) => resolve(result as LoadResult))
    child.once('error', reject)
    child.once('exit', (code) => code !== 0 && reject(new Error(`load generator ended: ${code}`)))
    child.send(load)
  })
}

if (process.argv[2] === 'generate' && process.send) {
  process.once('message', async (load) => {
    const result = await generate(load as Load)
    process.send!(result, () => process.exit(0))
  })
}

async function generate(load: Load): Promise<LoadResult> {
  const requests = load.bodies.map((body, i) =>
    requestOf(load.path, load.headers ?? jsonHeaders(load.tokens?.[i] ?? load.token), body),
  )
  const latencies: number[] = []
  const state = { counting: false, stopping: false, count: 0, failures: 0, next: 0 }
  const connections = Array.from({ length: load.connections }, () =>
    connect(load.port, requests, state, latencies),
  )
  await pause(load.warmUpSeconds)
  state.counting = true
  const started = performance.now()
  const cpuBefore = process.cpuUsage()
  await pause(load.seconds)
  const seconds = (performance.now() - started) / 1000
  const { count, failures } = state
  const { user, system } = process.cpuUsage(cpuBefore)
  state.stopping = true
  for (const socket of connections) socket.destroy()
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  const clientUs = (user + system) / Math.max(1, count)
  return { perSecond: count / seconds, count, p50Ms: at(0.5), p99Ms: at(0.99), failures, clientUs }
}

function connect(
  port: number,
  requests: Buffer[],
  state: { counting: boolean; stopping: boolean; count: number; failures: number; next: number },
  latencies: number[],
): net.Socket {
  let sentAt = 0
  let expected = 0
  let received = 0
  let isKept = true
  const send = () => {
    sentAt = performance.now()
    socket.write(requests[state.next++ % requests.length]!)
  }
  const onChunk = (size: number, chunk: Uint8Array): boolean => {
    if (received === 0) {
      const isSuccess = chunk[9] === TWO // HTTP/1.1 200
      if (!isSuccess && state.counting) state.failures += 1
      if (expected === 0 || !isSuccess) expected = lengthOf(Buffer.from(chunk.subarray(0, size)))
      isKept = isSuccess
    }
    received += size
    if (received < expected || state.stopping) return true
    received = 0
    if (!isKept) expected = 0
    if (state.counting) {
      state.count += 1
      latencies.push(performance.now() - sentAt)
    }
    send()
    return true
  }
  // One buffer per connection, read in place: a stream would cost more than all of the above.
  const onread = { buffer: Buffer.alloc(64 * 1024), callback: onChunk }
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread })
  socket.on('connect', send)
  socket.on('error', () => {
    if (!state.stopping) state.failures += 1
  })
  return socket
}

const TWO = '2'.charCodeAt(0)

/** The length of a whole response. All successes of a run have the same length, so only the first is parsed. */
function lengthOf(chunk: Buffer): number {
  const head = chunk.toString('latin1')
  const length = /content-length: (\d+)/i.exec(head)
  return head.indexOf('\r\n\r\n') + 4 + Number(length?.[1] ?? 0)
}

function jsonHeaders(token: string): NonNullable<Load['headers']> {
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

function requestOf(path: string, headers: NonNullable<Load['headers']>, body: string): Buffer {
  const length = Buffer.byteLength(body)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${headers.authorization}\r\n` +
      `content-type: ${headers['content-type']}\r\ncontent-length: ${length}\r\n\r\n${body}`,
  )
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
