// The processes of the SMPP benchmark: servers that accept submits and clients that keep a window of them in flight,
// ours and those of npm `smpp`. Each runs in its own process, so none shares a thread with another.

import { fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { SessionSettings } from '../src/smpp/session/session-event.js'
import { connectSmpp } from '../src/smpp/sockets/connect-smpp.js'
import { listenSmpp } from '../src/smpp/sockets/listen-smpp.js'
import { SmppSocket } from '../src/smpp/sockets/smpp-socket.js'
import { startSmsc } from '../src/smsc/smsc.js'

/** The window of every client. */
export const WINDOW = 100
const WARM_UP_MS = 500

export const FIELDS = {
  sourceAddrTon: 1,
  sourceAddrNpi: 1,
  sourceAddr: '14155550100',
  destAddrTon: 1,
  destAddrNpi: 1,
  destinationAddr: '14155550199',
  registeredDelivery: 0,
  validityPeriod: '000001000000000R',
  shortMessage: Buffer.from('Hi Sam, your table is ready. Reply STOP to opt out'),
}

/** The same message with the field names of npm `smpp`. */
export const NPM_FIELDS = {
  source_addr_ton: 1,
  source_addr_npi: 1,
  source_addr: FIELDS.sourceAddr,
  dest_addr_ton: 1,
  dest_addr_npi: 1,
  destination_addr: FIELDS.destinationAddr,
  registered_delivery: 0,
  validity_period: FIELDS.validityPeriod,
  short_message: FIELDS.shortMessage,
}

const SETTINGS: Omit<SessionSettings, 'side'> = {
  window: WINDOW,
  responseTimeoutMs: 60_000,
  enquireLinkMs: 60_000,
  bindTimeoutMs: 60_000,
  unansweredMax: 10_000,
}

interface NpmPdu {
  response: (fields?: object) => NpmPdu
  toBuffer: () => Buffer
}

interface NpmSession {
  on: (event: string, handle: (pdu: NpmPdu) => void) => void
  send: (pdu: NpmPdu) => void
  bind_transceiver: (fields: object, done: () => void) => void
  submit_sm: (fields: object, done: () => void) => void
}

export interface NpmSmpp {
  connect: (options: object, onConnect: () => void) => NpmSession
  createServer: (onSession: (session: NpmSession) => void) => {
    listen: (port: number, host: string, done: () => void) => void
    address: () => { port: number }
  }
  PDU: {
    new (command: string, fields: object): NpmPdu
    fromBuffer: (bytes: Buffer) => NpmPdu
  }
}

export function npmSmpp(): NpmSmpp {
  return createRequire(import.meta.url)('smpp') as NpmSmpp
}

const SERVERS = {
  smsc: async () => (await startSmsc({ receipts: 'none' })).port,
  /** The same delay as in the simulator. */
  smscWithReceipts: async () => (await startSmsc({ receiptDelayMs: 50, window: 500 })).port,
  ours: startOurServer,
  npm: startNpmServer,
}
const CLIENTS = { ours: bindOurs, npm: bindNpm }

export type ServerName = keyof typeof SERVERS
export type ClientName = keyof typeof CLIENTS

export async function startPeer(
  name: ServerName,
): Promise<{ port: number; stop: () => void; pid: number }> {
  const child = fork(fileURLToPath(import.meta.url), ['server', name])
  const port = await new Promise<number>((resolve) =>
    child.once('message', (said) => resolve(Number(said))),
  )
  return { port, pid: child.pid!, stop: () => child.kill('SIGKILL') }
}

/** Submits with a response per second over one bind. */
export async function measureClient(
  name: ClientName,
  port: number,
  seconds: number,
): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), [
    'client',
    name,
    String(port),
    String(seconds),
  ])
  return new Promise((resolve, reject) => {
    child.once('message', (said) => resolve(Number(said)))
    child.once('exit', (code) => reject(new Error(`the client ${name} ended: ${code}`)))
  })
}

const [, file, role, name, port, seconds] = process.argv
if (file === fileURLToPath(import.meta.url) && process.send) {
  const said =
    role === 'server'
      ? await SERVERS[name as ServerName]()
      : await measure(name as ClientName, Number(port), Number(seconds))
  process.send(said, () => role === 'client' && process.exit(0))
  process.on('disconnect', () => process.exit(0))
}

async function measure(client: ClientName, to: number, forSeconds: number): Promise<number> {
  let count = 0
  const submit = await CLIENTS[client](to, () => {
    count += 1
    submit()
  })
  for (let i = 0; i < WINDOW; i += 1) submit()
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  await pause(WARM_UP_MS)
  const started = performance.now()
  const before = count
  await pause(forSeconds * 1000)
  return ((count - before) * 1000) / (performance.now() - started)
}

async function bindOurs(to: number, onAnswer: () => void): Promise<() => void> {
  const socket = await connectSmpp({
    host: '127.0.0.1',
    port: to,
    tls: null,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
  })
  return new Promise((resolve) => {
    const smpp = new SmppSocket<null>(
      socket,
      { ...SETTINGS, side: 'esme' },
      {
        onSessionEvent: (sessionEvent) => {
          if (sessionEvent.kind === 'outcome') onAnswer()
          else if (sessionEvent.kind === 'bound') {
            resolve(() => smpp.request('submit_sm', FIELDS, [], null))
          }
        },
      },
    )
    smpp.bind('bind_transceiver', { systemId: 'bench', password: 'bench' })
  })
}

function bindNpm(to: number, onAnswer: () => void): Promise<() => void> {
  return new Promise((resolve) => {
    const session = npmSmpp().connect({ host: '127.0.0.1', port: to, noDelay: true }, () => {
      session.bind_transceiver({ system_id: 'bench', password: 'bench' }, () =>
        resolve(() => session.submit_sm(NPM_FIELDS, onAnswer)),
      )
    })
  })
}

/** Not an SMSC: each server only accepts. */
async function startOurServer(): Promise<number> {
  let ids = 0
  const listener = await listenSmpp({ host: '127.0.0.1', port: 0 }, (socket) => {
    const smpp = new SmppSocket<null>(
      socket,
      { ...SETTINGS, side: 'smsc' },
      {
        onSessionEvent: (sessionEvent) => {
          if (sessionEvent.kind === 'bind_requested') smpp.acceptBind(sessionEvent.pdu, 'bench')
          if (sessionEvent.kind !== 'request') return
          ids += 1
          smpp.respond(sessionEvent.pdu, { fields: { messageId: String(ids) } })
        },
      },
    )
  })
  return listener.port
}

function startNpmServer(): Promise<number> {
  let ids = 0
  const server = npmSmpp().createServer((session) => {
    session.on('error', () => {}) // a client that has ended
    session.on('bind_transceiver', (pdu) => session.send(pdu.response()))
    session.on('submit_sm', (pdu) => {
      ids += 1
      session.send(pdu.response({ message_id: String(ids) }))
    })
  })
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(server.address().port)),
  )
}
