// The processes of the call benchmark: the service's redirect server with all numbers in memory, a bare echo server,
// and a caller that keeps some datagrams in flight. Each runs in its own process, so its CPU time can be measured.

import { type ChildProcess, fork } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Clock } from '../src/kit/clock.js'
import { Metrics } from '../src/kit/metrics.js'
import type { World } from '../src/kit/world.js'
import { NO_TRUNK_LIMITS } from '../src/sip/answer/trunk.js'
import { DEFAULT_POLICY } from '../src/sip/forwarding/forwarding-policy.js'
import { ForwardingTable } from '../src/sip/forwarding/forwarding-table.js'
import { ANY_FORM } from '../src/sip/forwarding/number-forms.js'
import { Answerer } from '../src/voice/answerer.js'
import { CallCounts } from '../src/voice/call-counts.js'
import { CallLimits } from '../src/voice/call-limits.js'
import { listenDatagrams } from '../src/voice/listen-datagrams.js'
import { SipMeter } from '../src/voice/sip-meter.js'
import { INVITES, type InviteKind, inviteOf, numberOf, targetOf } from './calls-invites.js'

export const NUMBERS = 200_000
/** Datagrams in flight: few enough for the default buffers of every system. */
const BURST = 32
/** The same load for both servers, so a slower caller does not favor either. */
const BURST_EVERY_MS = 5
const STALLED_MS = 300

export interface ServerState {
  port: number
  /** CPU time of the process so far. */
  cpuUs: number
  rssBytes: number
  /** Memory of the numbers. */
  tableBytes: number
  /** Memory growth of the process while they were loaded. */
  grownBytes: number
}

export interface CallsServer {
  port: number
  state: () => Promise<ServerState>
  stop: () => void
}

type ServerName = 'redirects' | 'echo'

export async function startCallsServer(name: ServerName): Promise<CallsServer> {
  const child = fork(fileURLToPath(import.meta.url), [name], {
    execArgv: [...process.execArgv, '--expose-gc', '--max-semi-space-size=32'], // like `npm start`
  })
  const state = () => ask<ServerState>(child, 'state')
  const { port } = await said<ServerState>(child)
  return { port, state, stop: () => child.kill('SIGKILL') }
}

export interface Caller {
  /** Resolves after this many responses, with the number of calls without one. */
  call: (port: number, kind: InviteKind, count: number) => Promise<number>
  stop: () => void
}

export async function startCaller(): Promise<Caller> {
  const child = fork(fileURLToPath(import.meta.url), ['caller'])
  await said(child)
  return {
    call: (port, kind, count) => ask<number>(child, { port, kind, count }),
    stop: () => child.kill('SIGKILL'),
  }
}

function ask<T>(child: ChildProcess, what: string | object): Promise<T> {
  const answer = said<T>(child)
  child.send(what)
  return answer
}

async function said<T>(child: ChildProcess): Promise<T> {
  return (await once(child, 'message', { signal: AbortSignal.timeout(60_000) }))[0] as T
}

const [, file, role] = process.argv
if (file === fileURLToPath(import.meta.url) && process.send) {
  process.on('disconnect', () => process.exit(0))
  if (role === 'caller') serveCalls()
  else await serve(role === 'echo' ? startEcho : startRedirects)
}

async function serve(
  start: () => Promise<Pick<ServerState, 'port' | 'tableBytes' | 'grownBytes'>>,
) {
  const started = await start()
  const tell = () => {
    const { user, system } = process.cpuUsage()
    const rssBytes = process.memoryUsage.rss()
    process.send!({ ...started, cpuUs: user + system, rssBytes } satisfies ServerState)
  }
  process.on('message', tell)
  tell()
}

async function startEcho() {
  const socket = createSocket('udp4')
  socket.on('message', (bytes, { port, address }) => socket.send(bytes, port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, tableBytes: 0, grownBytes: 0 }
}

/** Set up like voice-room.ts, with an empty database that responds immediately. */
async function startRedirects() {
  const before = settledRss()
  const table = new ForwardingTable()
  for (let i = 0; i < NUMBERS; i += 1) table.set(numberOf(i), targetOf(i))
  const grownBytes = settledRss() - before
  const meter = new SipMeter(new Metrics())
  const db = { query: async () => [] }
  const clock = new Clock()
  const limit = { perSecond: 1_000_000, perDay: 1_000_000_000 }
  const limits = new CallLimits({ number: limit, account: limit }, clock, () => 'acc_bench')
  const calls = new CallCounts({ clock, db } as unknown as World, meter, limits)
  setInterval(() => void calls.write(), 1_000) // this database never fails
  const trunk = {
    name: 'bench',
    sources: ['127.0.0.1'],
    contactHost: 'sbc.trunk.test',
    contactTransport: null,
    diversionHost: 'voice.ours.test',
    isDiversionEmbedded: false,
    numberForms: ANY_FORM,
    limits: NO_TRUNK_LIMITS,
  }
  const answerer = new Answerer({
    find: (number) => table.get(number),
    policy: DEFAULT_POLICY,
    key: Buffer.alloc(32, 1),
    callsPerSecond: 1_000_000,
    trunks: [trunk],
    meter,
    limits,
    onAnswered: (answered) => calls.count(answered),
  })
  const { port } = await listenDatagrams({ host: '127.0.0.1', port: 0 }, answerer)
  return { port, tableBytes: table.bytes, grownBytes }
}

function settledRss(): number {
  globalThis.gc?.()
  return process.memoryUsage.rss()
}

function serveCalls(): void {
  let next = 0
  process.on(
    'message',
    ({ port, kind, count }: { port: number; kind: InviteKind; count: number }) => {
      void callMany(port, kind, count, next).then((lost) => process.send!(lost))
      next += count * 2
    },
  )
  process.send!('ready')
}

/** Sends burst after burst: the next one starts when the last has all its responses, and not before its time. */
async function callMany(
  to: number,
  kind: InviteKind,
  count: number,
  first: number,
): Promise<number> {
  const socket = createSocket('udp4')
  let [sent, answered, lost] = [0, 0, 0]
  socket.on('message', () => {
    answered += 1
  })
  while (answered < count) {
    for (let i = 0; i < BURST; i += 1) {
      socket.send(inviteOf(INVITES[kind], first + sent, NUMBERS), to, '127.0.0.1')
      sent += 1
    }
    const begun = performance.now()
    do await sleep(BURST_EVERY_MS)
    while (answered + lost < sent && performance.now() - begun < STALLED_MS)
    lost = sent - answered
  }
  socket.close()
  return lost
}
