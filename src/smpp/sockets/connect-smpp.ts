// Connects to a carrier, with or without TLS. Resolves when the handshake is done.

import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'

export interface SmppTarget {
  host: string
  port: number
  /** Null: without TLS. */
  tls: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername' | 'minVersion'> | null
  timeoutMs: number
  /** Aborts the attempt. */
  signal: AbortSignal
}

export function connectSmpp({ host, port, tls, timeoutMs, signal }: SmppTarget): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tls ? connectTls({ ...tls, host, port }) : connect({ host, port })
    const fail = (message: string) => socket.destroy(new Error(message))
    const abort = () => fail('The attempt was ended')
    const timer = setTimeout(() => fail(`No connection within ${timeoutMs} ms`), timeoutMs)
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
    // Keep this listener: an error without a listener would end the process.
    socket.on('error', (error) => {
      settle()
      reject(error)
    })
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      settle()
      socket.setKeepAlive(true, KEEP_ALIVE_MS)
      resolve(socket)
    })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
  })
}

const KEEP_ALIVE_MS = 60_000
