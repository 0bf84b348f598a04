// Kamailio with a file from docs/: it accepts a provider's calls and follows the redirects of the service to the
// callee, or queries the service over HTTP for the route.

import dgram from 'node:dgram'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../../free-port.js'
import { type PeerProcess, privateFolder, startPeer, succeeds } from '../peer-process.js'

const PROGRAM = '/usr/sbin/kamailio'
const REDIRECT_CONFIG = path.resolve('docs/kamailio-redirect.cfg')
const ROUTE_CONFIG = path.resolve('docs/kamailio-route.cfg')
/** Kamailio's child processes survive a kill. This wrapper ends them all when its input ends. */
const WITH_CHILDREN = '"$@" & child=$!; cat; kill $child; wait $child'
const POLL_MS = 100
/** A busy machine is not a service that is down. */
const ANSWER_MS = 60_000

export const hasKamailio = existsSync(PROGRAM) && hasModule('tls')
export const hasAskingKamailio = existsSync(PROGRAM) && hasModule('http_client')
export const NO_KAMAILIO =
  'Kamailio is not installed: apt-get install kamailio kamailio-tls-modules'

export const NO_ASKING_KAMAILIO =
  'Kamailio is not installed: apt-get install kamailio kamailio-utils-modules'

function hasModule(name: string): boolean {
  return succeeds('sh', ['-c', `ls /usr/lib*/*/kamailio/modules/${name}.so`])
}

export interface KamailioSettings {
  /** The SIP address of the service. */
  longcode: string
  /** The address of a second node, used if the first does not respond. Default: the same. */
  longcode2?: string
  /** The timeout of the first node. */
  answerMs?: number
  /** For a carrier that requires them. */
  credentials?: string
  /** The only port that calls can be relayed to. */
  calleePort: number
  /** Files for TLS: certificate, key, and trusted certificates. */
  tls?: { cert: string; key: string; ca: string }
}

export interface Kamailio extends PeerProcess {
  port: number
}

export async function startKamailio(t: TestContext, settings: KamailioSettings): Promise<Kamailio> {
  const port = await freePort()
  return startWith(t, REDIRECT_CONFIG, port, await definitions(settings, port))
}

/** `url` is the HTTP address of the service. */
export async function startAskingKamailio(
  t: TestContext,
  settings: { url: string; url2?: string; token: string; trunk: string; credentials?: string },
): Promise<Kamailio> {
  const { url, url2 = url, token, trunk, credentials } = settings
  const port = await freePort()
  return startWith(t, ROUTE_CONFIG, port, [
    `LISTEN=udp:127.0.0.1:${port}`,
    ...TRUSTED,
    ...credentialsOf(credentials),
    `LONGCODE="${url}"`,
    `LONGCODE_2="${url2}"`,
    `AUTHORIZATION="Authorization: Bearer ${token}"`,
    `TRUNK="${trunk}"`,
    `ANSWER_SECONDS=${ANSWER_MS / 1000}`,
  ])
}

const TRUSTED = [
  'PROVIDERS="127.0.0.1/32"',
  'CARRIERS="127.0.0.1/32"',
  'ROUTE_SECRET="known-to-nobody"',
]

function credentialsOf(credentials: string | undefined): string[] {
  return credentials === undefined ? [] : ['WITH_CREDENTIALS', `CREDENTIALS="${credentials}"`]
}

async function startWith(
  t: TestContext,
  file: string,
  port: number,
  defined: readonly string[],
): Promise<Kamailio> {
  const folder = privateFolder(t)
  const args = [
    ...['-f', file, '-DD', '-E', '-w', folder, '-Y', folder, '-m', '32', '-M', '4'],
    // One worker: several might relay a BYE before the ACK that came first.
    ...['-n', '1', '-N', '1'],
    ...defined.flatMap((one) => ['-A', one]),
  ]
  const peer = startPeer(t, 'sh', ['-c', WITH_CHILDREN, 'sh', PROGRAM, ...args], folder, {
    endsWithInput: true,
  })
  await peer.until(() => answers(port), 'a response of Kamailio')
  return { ...peer, port }
}

async function definitions(settings: KamailioSettings, port: number): Promise<string[]> {
  const { longcode, longcode2 = longcode, calleePort, tls, answerMs = ANSWER_MS } = settings
  const forTls = tls && [
    'WITH_TLS',
    `LISTEN_TLS=tls:127.0.0.1:${await freePort()}`,
    `TLS_CERT="${tls.cert}"`,
    `TLS_KEY="${tls.key}"`,
    `LONGCODE_CA="${tls.ca}"`,
  ]
  return [
    `LISTEN_UDP=udp:127.0.0.1:${port}`,
    `LISTEN_TCP=tcp:127.0.0.1:${port}`,
    ...TRUSTED,
    ...credentialsOf(settings.credentials),
    `LONGCODE="${longcode}"`,
    `LONGCODE_2="${longcode2}"`,
    `CARRIER="^sip:[+0-9]+@127\\\\.0\\\\.0\\\\.1:${calleePort}$"`,
    `ANSWER_MS=${answerMs}`,
    ...(forTls ?? []),
  ]
}

async function answers(port: number): Promise<boolean> {
  const socket = dgram.createSocket('udp4')
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const request = [
    `OPTIONS sip:127.0.0.1:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bKready;rport`,
    'From: <sip:ready@127.0.0.1>;tag=1',
    `To: <sip:127.0.0.1:${port}>`,
    `Call-ID: ready-${socket.address().port}`,
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
    'Content-Length: 0',
    '\r\n',
  ]
  socket.send(request.join('\r\n'))
  // Refused immediately if nothing listens.
  const answer = once(socket, 'message', { signal: AbortSignal.timeout(POLL_MS) })
  const isAnswered = await answer.then(
    () => true,
    () => false,
  )
  socket.close()
  return isAnswered
}
