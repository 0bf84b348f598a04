// Kannel on either side: drive_smpp, the SMSC of Kannel's tests, and bearerbox with smsbox, which bind as a customer,
// send messages requested over HTTP, and report incoming ones to a URL.

import { existsSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../free-port.js'
import { type Owner, type PeerProcess, privateFolder, startPeer } from './peer-process.js'
import { fromUcs2 } from './texts.js'

const DRIVE_SMPP = '/usr/lib/kannel/test/drive_smpp'
const BOXES = ['/usr/sbin/bearerbox', '/usr/sbin/smsbox'] as const
/** The port where drive_smpp expects a bearerbox. It exits if nothing listens there. */
const SMSBOX_PORT = 13_001

export const hasDriveSmpp = existsSync(DRIVE_SMPP)
export const hasKannel = BOXES.every((file) => existsSync(file))
export const NO_KANNEL = 'Kannel is not installed: apt-get install kannel kannel-extras'

export interface DriveSmpp extends PeerProcess {
  port: number
  /** The submitted texts, as bytes. */
  submitted: () => string[]
}

/** Sends this many messages, numbered from 1, to the bound receiver. */
export async function startDriveSmpp(t: TestContext, messages: number): Promise<DriveSmpp> {
  await listenAsBearerbox(t)
  const port = await freePort()
  const args = ['-v', '0', '-p', String(port), '-m', String(messages)]
  const peer = startPeer(t, DRIVE_SMPP, args, privateFolder(t))
  await peer.until(
    () => peer.output().includes('(test/drive_smpp.c:accept_thread) maps'),
    'a start',
  )
  const submitted = () =>
    [...peer.output().matchAll(/short_message = <(.*)>$/gm)].map(([, text]) => text!)
  return { ...peer, port, submitted }
}

/** The port is fixed. If another run already listens there, that works as well. */
async function listenAsBearerbox(t: TestContext): Promise<void> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve())
    server.listen(SMSBOX_PORT, '127.0.0.1', resolve)
  })
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
}

export interface Call {
  path: string
  query: Record<string, string>
}

/** The server that smsbox reports receipts and inbound messages to. */
export interface ReportServer {
  port: number
  calls: Call[]
}

export async function startReportServer(t: TestContext): Promise<ReportServer> {
  const calls: Call[] = []
  const server = http.createServer((request, response) => {
    const { pathname, search } = new URL(request.url!, 'http://localhost')
    calls.push({ path: pathname, query: queryOf(search.slice(1)) })
    response.end('')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, calls }
}

/** If the coding is 2, the text is UCS-2, byte by byte. */
function queryOf(search: string): Record<string, string> {
  const bytes = search.split('&').map((pair) => {
    const [name, value = ''] = pair.split('=')
    return [name!, bytesOf(value)] as const
  })
  const isUcs2 = bytes.some(([name, value]) => name === 'coding' && value.toString() === '2')
  return Object.fromEntries(
    bytes.map(([name, value]) => [
      name,
      name === 'text' && isUcs2 ? fromUcs2(value) : value.toString(),
    ]),
  )
}

/** The bytes of a query value, which need not be valid text. */
function bytesOf(escaped: string): Buffer {
  const plain = escaped.replaceAll('+', ' ')
  const pieces = plain.match(/%[0-9a-f]{2}|[^%]+/gi) ?? []
  return Buffer.concat(
    pieces.map((piece) =>
      piece.startsWith('%') ? Buffer.from(piece.slice(1), 'hex') : Buffer.from(piece),
    ),
  )
}

interface KannelSettings {
  smscPort: number
  systemId: string
  password: string
  callPort: number
  /** More lines for the SMSC group and the core group, such as where messages are stored. */
  smsc?: readonly string[]
  core?: readonly string[]
  /** 0: everything, 4: only fatal errors. */
  logLevel?: number
}

export interface Kannel {
  bearerbox: PeerProcess
  smsbox: PeerProcess
  /** The port of smsbox, for requests without `send`. */
  sendPort: number
  /** Sends through smsbox, as an application does. */
  send: (message: Record<string, string>) => Promise<string>
  status: () => Promise<string>
}

/** Starts bearerbox, bound, with its smsbox. */
export async function startKannel(t: Owner, settings: KannelSettings): Promise<Kannel> {
  const [adminPort, boxPort, sendPort] = [await freePort(), await freePort(), await freePort()]
  const folder = privateFolder(t)
  const file = path.join(folder, 'kannel.conf')
  writeFileSync(file, configuration(settings, { adminPort, boxPort, sendPort }))
  const args = ['-v', String(settings.logLevel ?? 0), file]
  const bearerbox = startPeer(t, BOXES[0], args, folder)
  const status = () =>
    textOf(`http://127.0.0.1:${adminPort}/status.txt?password=peer`).catch(() => '')
  await bearerbox.until(status, 'bearerbox')
  const smsbox = startPeer(t, BOXES[1], args, folder)
  await smsbox.until(
    async () => (await status()).includes('smsbox:'),
    'smsbox connected to bearerbox',
  )
  // It reports that it is online once its bind is accepted.
  await bearerbox.until(async () => /\(online \d+s/.test(await status()), 'a bind of bearerbox')
  const send: Kannel['send'] = async (message) => {
    const query = new URLSearchParams({ username: 'tester', password: 'tester', ...message })
    return textOf(`http://127.0.0.1:${sendPort}/cgi-bin/sendsms?${query}`)
  }
  return { bearerbox, smsbox, sendPort, send, status }
}

async function textOf(address: string): Promise<string> {
  const response = await fetch(address)
  return response.text()
}

type Ports = Record<'adminPort' | 'boxPort' | 'sendPort', number>

function configuration(settings: KannelSettings, ports: Ports): string {
  const { smscPort, systemId, password, callPort, smsc = [], core = [] } = settings
  const inbound = `http://127.0.0.1:${callPort}/inbound?from=%p&to=%P&coding=%c&charset=%C&text=%b`
  return `
group = core
admin-port = ${ports.adminPort}
admin-interface = 127.0.0.1
admin-password = peer
smsbox-port = ${ports.boxPort}
smsbox-interface = 127.0.0.1
box-allow-ip = "127.0.0.1"
dlr-storage = internal
sms-resend-freq = 1
${core.join('\n')}

group = smsc
smsc = smpp
smsc-id = longcode
host = 127.0.0.1
port = ${smscPort}
transceiver-mode = true
smsc-username = "${systemId}"
smsc-password = "${password}"
system-type = ""
interface-version = 34
enquire-link-interval = 5
reconnect-delay = 1
source-addr-ton = 1
source-addr-npi = 1
dest-addr-ton = 1
dest-addr-npi = 1
${smsc.join('\n')}

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.sendPort}
sendsms-interface = 127.0.0.1

group = sendsms-user
username = tester
password = tester
concatenation = true
max-messages = 50

group = sms-service
keyword = default
catch-all = true
max-messages = 0
concatenation = true
assume-plain-text = true
get-url = "${inbound}"
`
}
