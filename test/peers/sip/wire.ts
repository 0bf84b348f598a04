// The connection between a caller and the service, for datagrams: the test decides what arrives, and when.

import dgram from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Carry = (message: string, pass: () => void) => void

export interface Wire {
  /** The port the caller uses for the service. */
  port: number
}

/** For one caller. Each message is passed with a function that lets it through. */
export async function startWire(
  t: TestContext,
  servicePort: number,
  carry: { request?: Carry; answer?: Carry },
): Promise<Wire> {
  const { request = passAtOnce, answer = passAtOnce } = carry
  const [near, far] = [await openSocket(t), await openSocket(t)]
  let callerPort = 0
  near.on('message', (bytes, { port }) => {
    callerPort = port
    request(bytes.toString('latin1'), () => far.send(bytes, servicePort, '127.0.0.1'))
  })
  far.on('message', (bytes) =>
    answer(bytes.toString('latin1'), () => near.send(bytes, callerPort, '127.0.0.1')),
  )
  return { port: (near.address() as AddressInfo).port }
}

function passAtOnce(_message: string, pass: () => void): void {
  pass()
}

async function openSocket(t: TestContext): Promise<dgram.Socket> {
  const socket = dgram.createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  // Nothing listens at the other end while a node is down.
  socket.on('error', () => {})
  t.after(() => socket.close())
  return socket
}
