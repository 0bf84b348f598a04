// The SMPP server for customers: listens, limits connections, and closes them in order.

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SmppServerConfig } from '../kit/settings/smpp-server-config.js'
import { type RunningLoop, startLoop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import type { SendMessage } from '../messages/send/send-message.js'
import type { SessionSettings } from '../smpp/session/session-event.js'
import { listenSmpp } from '../smpp/sockets/listen-smpp.js'
import { BindGuard } from './admit-binds.js'
import { BindRegistry } from './bind-registry.js'
import { CustomerConnection, type CustomerConnectionDeps } from './connection.js'
import { EventSender } from './send-events.js'
import { SmppCounts } from './smpp-counts.js'
import { Submitter } from './submit-messages.js'

export interface SmppServer {
  port: number
  /** Unbinds everyone. Acknowledged deliveries are recorded, and others are released. */
  stop: () => Promise<void>
}

const SESSION = {
  side: 'smsc',
  window: 10, // deliver_sm that may wait for their answer, on one bind
  responseTimeoutMs: 30_000,
  enquireLinkMs: 30_000,
  bindTimeoutMs: 10_000,
  peerUnbindMs: 2_000, // for our answers to its submits; many clients no longer answer deliver_sm then
} as const satisfies Partial<SessionSettings>
const CONNECTIONS_MAX = 2_000
const CONNECTIONS_PER_ADDRESS_MAX = 100
/** How long a stop waits for customers to unbind. */
const GRACE_MS = 4_000

export async function startSmppServer(
  world: World,
  config: SmppServerConfig,
  send: SendMessage,
): Promise<SmppServer> {
  const counts = new SmppCounts(world)
  const registry = new BindRegistry(world, {
    binds: config.bindsPerAccount,
    window: config.window,
  })
  const events = new EventSender(world, registry, counts)
  const deps: CustomerConnectionDeps = {
    guard: new BindGuard(world),
    registry,
    submitter: new Submitter(world, {
      send,
      perSecond: config.submitsPerSecond,
    }),
    events,
    counts,
    settings: { ...SESSION, unansweredMax: config.window },
  }
  const connections = new Connections(world, deps)
  const listener = await listenSmpp(config, (socket) => connections.take(socket))
  const loops = [registry.loop, events.loop].map((loop) => startLoop(loop, world.hints))
  events.onWork((loops[1] as RunningLoop).hint)
  return {
    port: listener.port,
    stop: async () => {
      await connections.end()
      await listener.close()
      await Promise.all(loops.map((loop) => loop.stop()))
      await events.drain()
    },
  }
}

class Connections {
  readonly #world: World
  readonly #deps: CustomerConnectionDeps
  readonly #open = new Map<CustomerConnection, string>()
  #isStopping = false

  constructor(world: World, deps: CustomerConnectionDeps) {
    this.#world = world
    this.#deps = deps
  }

  take(socket: Socket): void {
    const address = socket.remoteAddress ?? ''
    const fromThere = [...this.#open.values()].filter((other) => other === address).length
    const isFull = this.#open.size >= CONNECTIONS_MAX || fromThere >= CONNECTIONS_PER_ADDRESS_MAX
    if (this.#isStopping || isFull) {
      socket.destroy()
      return
    }
    const connection: CustomerConnection = new CustomerConnection(
      this.#world,
      this.#deps,
      socket,
      () => {
        this.#open.delete(connection)
      },
    )
    this.#open.set(connection, address)
  }

  async end(): Promise<void> {
    this.#isStopping = true
    for (const connection of this.#open.keys()) connection.unbind()
    for (let waitedMs = 0; this.#open.size > 0 && waitedMs < GRACE_MS; waitedMs += 20) {
      await sleep(20)
    }
    for (const connection of this.#open.keys()) connection.destroy()
  }
}
