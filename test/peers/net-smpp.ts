// Net::SMPP of Perl on either side, driven through net-smpp.pl.

import path from 'node:path'
import type { TestContext } from 'node:test'
import { type PeerProcess, startPeer, succeeds } from './peer-process.js'

const SCRIPT = path.join(import.meta.dirname, 'net-smpp.pl')

export const hasNetSmpp = succeeds('perl', ['-MNet::SMPP', '-MJSON::PP', '-e', '1'])
export const NO_NET_SMPP = 'Net::SMPP is not installed: apt-get install libnet-smpp-perl'

interface TakenPdu {
  pdu: string
  status: number
  seq: number
  /** The id assigned by the server. */
  id: string | null
  fields: Record<string, string | number>
  tlvs?: Record<string, string>
}

export interface NetSmpp extends PeerProcess {
  /** Every received PDU, in order. */
  pdus: (name: string) => TakenPdu[]
  send: (
    command: string,
    fields?: Record<string, string | number>,
    bytes?: Record<string, Buffer>,
  ) => void
}

export interface NetSmppServer extends NetSmpp {
  port: number
}

/** `idFormat` is the format of the ids it assigns, such as `%08X`. */
export async function startNetSmppServer(t: TestContext, idFormat: string): Promise<NetSmppServer> {
  const peer = start(t, ['server', '127.0.0.1', idFormat])
  const port = await peer.until(() => linesOf(peer).find((line) => 'port' in line)?.port, 'a port')
  return { ...peer, port }
}

export function startNetSmppClient(
  t: TestContext,
  port: number,
  {
    systemId,
    password,
    bind = 'transceiver',
  }: Record<'systemId' | 'password', string> & {
    bind?: 'transceiver' | 'transmitter' | 'receiver'
  },
): NetSmpp {
  return start(t, ['client', '127.0.0.1', String(port), bind, systemId, password])
}

function start(t: TestContext, args: readonly string[]): NetSmpp {
  const peer = startPeer(t, 'perl', [SCRIPT, ...args])
  return {
    ...peer,
    pdus: (name) => linesOf(peer).filter((line) => line.pdu === name),
    send: (command, fields = {}, bytes = {}) => {
      const inHex = Object.entries(bytes).map(([name, value]) => [name, value.toString('hex')])
      peer.write(JSON.stringify({ send: command, fields, bytes: Object.fromEntries(inHex) }))
    },
  }
}

/** The output also contains its warnings, which are not JSON. */
function linesOf(peer: PeerProcess) {
  const whole = peer.output().split('\n').slice(0, -1)
  return whole
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as TakenPdu & { port?: number })
}
