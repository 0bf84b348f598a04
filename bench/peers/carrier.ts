// The carrier of the peer benchmark, the same for all gateways: an SMPP server in a separate process that accepts every
// submit_sm and records its serial number and time. It can be unavailable, so no gateway can bind.

import { fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { SessionSettings } from '../../src/smpp/session/session-event.js'
import { listenSmpp } from '../../src/smpp/sockets/listen-smpp.js'
import { SmppSocket } from '../../src/smpp/sockets/smpp-socket.js'
import { nowMs, SERIAL } from './clients.js'

/** The window of each gateway, also set in its own configuration. */
export const WINDOW = 500

export interface Arrivals {
  serials: Float64Array
  arrivedMs: Float64Array
}

export interface BenchCarrier {
  port: number
  setAway: (isAway: boolean) => void
  count: () => Promise<number>
  /** Messages received since the last read. */
  take: () => Promise<Arrivals>
  stop: () => void
}

const SETTINGS: SessionSettings = {
  side: 'smsc',
  window: WINDOW,
  responseTimeoutMs: 60_000,
  enquireLinkMs: 60_000,
  bindTimeoutMs: 60_000,
  unansweredMax: 10_000,
}

type Asked = 'away' | 'here' | 'count' | 'take'

export async function startCarrier(): Promise<BenchCarrier> {
  const child = fork(fileURLToPath(import.meta.url), ['carrier'], { serialization: 'advanced' })
  const answer = <T>() =>
    new Promise<T>((resolve) => child.once('message', (it) => resolve(it as T)))
  const port = await answer<number>()
  const ask = <T>(what: Asked): Promise<T> => {
    const answered = answer<T>()
    child.send(what)
    return answered
  }
  return {
    port,
    setAway: (isAway) => child.send(isAway ? 'away' : 'here'),
    count: () => ask('count'),
    take: () => ask('take'),
    stop: () => child.kill('SIGKILL'),
  }
}

class Carrier {
  readonly #sockets = new Set<Socket>()
  #serials: number[] = []
  #arrivedMs: number[] = []
  #count = 0
  #isAway = false

  async listen(): Promise<number> {
    const { port } = await listenSmpp({ host: '127.0.0.1', port: 0 }, (socket) => {
      if (this.#isAway) return socket.destroy()
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      this.#serve(socket)
    })
    return port
  }

  answer(asked: Asked): void {
    if (asked === 'here') this.#isAway = false
    if (asked === 'away') this.#leave()
    if (asked === 'count') process.send!(this.#count)
    if (asked === 'take') process.send!(this.#take())
  }

  #leave(): void {
    this.#isAway = true
    for (const socket of this.#sockets) socket.destroy()
  }

  #take(): Arrivals {
    const [serials, arrivedMs] = [this.#serials, this.#arrivedMs]
    this.#serials = []
    this.#arrivedMs = []
    return { serials: Float64Array.from(serials), arrivedMs: Float64Array.from(arrivedMs) }
  }

  #serve(socket: Socket): void {
    const smpp = new SmppSocket<null>(socket, SETTINGS, {
      onSessionEvent: (sessionEvent) => {
        if (sessionEvent.kind === 'bind_requested') smpp.acceptBind(sessionEvent.pdu, 'bench')
        if (sessionEvent.kind !== 'request' || sessionEvent.pdu.command !== 'submit_sm') return
        const { shortMessage } = sessionEvent.pdu.body
        this.#serials.push(Number(shortMessage.subarray(-SERIAL.length).toString('latin1')))
        this.#arrivedMs.push(nowMs())
        this.#count += 1
        smpp.respond(sessionEvent.pdu, { fields: { messageId: String(this.#count) } })
      },
    })
  }
}

if (process.argv[2] === 'carrier' && process.send) {
  const serve = new Carrier()
  process.on('message', (asked: Asked) => serve.answer(asked))
  process.on('disconnect', () => process.exit(0))
  process.send(await serve.listen())
}
