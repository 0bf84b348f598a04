// Calls by UDP: a datagram in, at most one out. What cannot be sent is counted and forgotten: the caller
// repeats what it has no answer to.

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { type Listener, type MessageAnswerer, noCounts } from './listener.js'

export interface DatagramListenerOptions {
  host: string
  /** 0: one that is free. */
  port: number
}

/** A second of calls, for when this process is kept from reading; the system may allow less. */
const BUFFER_OCTETS = 4 * 1024 * 1024
/** Answers that the system has not taken yet. More are not worth keeping. */
const WAITING_MAX = 1_000

/** Rejects where the address cannot be had. */
export async function listenDatagrams(
  { host, port }: DatagramListenerOptions,
  answerer: MessageAnswerer,
): Promise<Listener> {
  const { address } = await lookup(host)
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', lookup: asItIs })
  const counts = noCounts()
  let waiting = 0
  const sent = (error: Error | null) => {
    waiting -= 1
    if (error) counts.unsent += 1
  }
  const receive = (octets: Buffer, { address, port }: RemoteInfo) => {
    const outcome = answerer.answer(octets, { transport: 'udp', address, port })
    if (outcome?.kind !== 'answered') return
    if (waiting >= WAITING_MAX) {
      counts.unsent += 1
      return
    }
    waiting += 1
    try {
      socket.send(outcome.octets, outcome.port, address, sent)
    } catch {
      // A port that cannot be: datagrams may say that they come from port 0.
      waiting -= 1
      counts.unsent += 1
    }
  }
  const listening = once(socket, 'listening')
  socket.bind(port, address)
  await listening.catch((error: unknown) => {
    socket.close()
    throw error
  })
  // Of a single datagram; the socket goes on. Without a listener it would end the process.
  socket.on('error', () => {})
  enlargeBuffers(socket)
  socket.on('message', receive)
  return {
    port: socket.address().port,
    counts,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

/** Addresses come from datagrams, never as names: nothing to look up, and no turn to wait for it. */
function asItIs(
  address: string,
  _options: object,
  done: (error: null, address: string, family: number) => void,
): void {
  done(null, address, isIPv6(address) ? 6 : 4)
}

function enlargeBuffers(socket: Socket): void {
  try {
    socket.setRecvBufferSize(BUFFER_OCTETS)
    socket.setSendBufferSize(BUFFER_OCTETS)
  } catch {
    // Some systems refuse what they could cut; theirs stays as it is.
  }
}
