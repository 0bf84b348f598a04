// Limits how many connections a process keeps open, in total and per address. A connection costs memory and a
// file descriptor before anyone has shown a token, so a stranger must not be able to take all of them. A
// connection over the limit gets one clear response and is closed.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { clientNetwork } from '../../kit/http-client/client-network.js'

export interface ConnectionLimits {
  /** In this process; 0 means no limit. */
  max: number
  /** For one IPv4 address or one IPv6 /64 network; 0 means no limit. */
  perAddress: number
  /** Proxies and load balancers. Their connections carry many clients, so `perAddress` does not apply. */
  trusted: readonly string[]
}

export type GateRefusal = 'connections_exhausted' | 'connections_per_address'

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

const LOOPBACK = ['127.0.0.0/8', '::1/128']

export class ConnectionGate {
  readonly #limits: ConnectionLimits
  readonly #trusted: readonly Network[]
  readonly #byAddress = new Map<string, number>()
  #open = 0

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
    this.#trusted = limits.trusted
      .flatMap((item) => (item === 'loopback' ? LOOPBACK : [item]))
      .map(readNetwork)
  }

  get open(): number {
    return this.#open
  }

  /** Null: the connection was counted and must be released once. */
  admit(address: string): GateRefusal | null {
    const { max, perAddress } = this.#limits
    if (max > 0 && this.#open >= max) return 'connections_exhausted'
    const key = clientNetwork(address)
    const open = this.#byAddress.get(key) ?? 0
    if (perAddress > 0 && open >= perAddress && !this.#isTrusted(address)) {
      return 'connections_per_address'
    }
    this.#open += 1
    this.#byAddress.set(key, open + 1)
    return null
  }

  release(address: string): void {
    const key = clientNetwork(address)
    const open = this.#byAddress.get(key) ?? 0
    this.#open -= 1
    if (open > 1) this.#byAddress.set(key, open - 1)
    else this.#byAddress.delete(key)
  }

  #isTrusted(text: string): boolean {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return this.#trusted.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    )
  }
}

/** Runs before the server's own listener, so a refused connection never becomes an HTTP connection. */
export function gateConnections(
  server: Server,
  gate: ConnectionGate,
  refuse: (socket: Socket, code: GateRefusal) => void,
): void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    const refusal = gate.admit(remoteAddress)
    if (refusal !== null) {
      refuse(socket, refusal)
      return
    }
    socket.once('close', () => gate.release(remoteAddress))
    for (const listen of listeners) listen.call(server, socket)
  })
}

function readNetwork(text: string): Network {
  const [address = '', bits] = text.split('/')
  const parsed = ipaddr.process(address)
  return [parsed, bits === undefined ? parsed.toByteArray().length * 8 : Number(bits)]
}
