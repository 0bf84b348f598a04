// Sends receipts and inbound messages to bound customers. An SMPP token subscribes to events like a webhook, and
// its deliveries wait in the same queue: claimed under a lease when one of its binds has a free slot, sent, and
// recorded by the deliver_sm_resp. Several binds, in any number of processes, share the load.

import { listEventsById } from '../events/event-queries.js'
import { type ClaimedDelivery, claimDeliveries } from '../events/queue/delivery-claim-queries.js'
import { releaseDeliveries } from '../events/queue/delivery-lease-queries.js'
import {
  type DeliveryOutcome,
  recordOutcomes,
  wakeLaterDeliveries,
} from '../events/queue/delivery-outcome-queries.js'
import { DueFinder } from '../events/queue/due-finder.js'
import { KeyedBatchWriter, RECORDS_PER_WRITE_MAX } from '../kit/batch-writer.js'
import { InFlight } from '../kit/in-flight.js'
import { KeyedBackoff } from '../kit/keyed-backoff.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { listMessagesById } from '../messages/message-queries.js'
import type { RequestOutcome } from '../smpp/session/session-event.js'
import type { BindRegistry } from './bind-registry.js'
import { Outgoing } from './outgoing.js'
import type { SmppCounts } from './smpp-counts.js'
import type { Bind } from './system.js'
import { deliveriesOf } from './write-deliveries.js'

const HINTS = ['deliveries', 'clock'] as const
const IDLE_MS = 150
/** Longer than the response timeout, to allow for waiting for a slot and a slow database. */
const LEASE_MS = 75_000
const CLAIM_MAX = 500

/** The deliveries of one system ID in this process. */
interface Outbox {
  accountId: string
  tokenId: string
  systemId: string
  /** Claimed, and not completely sent. */
  queue: { outgoing: Outgoing; bind: Bind | null }[]
  /** More may be due. */
  isReady: boolean
  /**
   * How many deliveries of the last claim had something to send. Most events may belong to messages without a
   * receipt request.
   */
  share: number
}

interface Recording {
  outgoing: Outgoing
  outcome: DeliveryOutcome
}

export class EventSender {
  readonly loop: Loop
  readonly #world: World
  readonly #registry: BindRegistry
  readonly #counts: SmppCounts
  readonly #finder: DueFinder
  readonly #outboxes = new Map<string, Outbox>()
  readonly #inFlight = new InFlight<Outgoing>()
  readonly #recorder: KeyedBatchWriter<Recording, undefined>
  readonly #aside: KeyedBackoff
  /** There may be work. */
  #wake: () => void = () => {}
  #isStopping = false

  constructor(world: World, registry: BindRegistry, counts: SmppCounts) {
    this.#world = world
    this.#registry = registry
    this.#counts = counts
    const { db, hints } = world
    this.#finder = new DueFinder({ db, hints, kind: 'smpp' })
    for (const hint of HINTS) hints.subscribe(hint, (accountIds) => this.#finder.hint(accountIds))
    this.#recorder = new KeyedBatchWriter({
      batchMax: RECORDS_PER_WRITE_MAX,
      write: (accountId, recordings) => this.#write(accountId, recordings),
    })
    this.loop = {
      name: 'smpp deliver',
      hints: HINTS,
      idleMs: IDLE_MS,
      step: () => this.#step(),
      onError: (error) => world.log.error({ err: error }, 'delivering by SMPP failed'),
    }
    this.#aside = new KeyedBackoff(this.loop.onError)
  }

  onWork(wake: () => void): void {
    this.#wake = wake
  }

  /** A bind that receives messages was added. */
  bound({ system }: Bind): void {
    const { accountId, tokenId, systemId } = system
    const existing = this.#outboxes.get(tokenId)
    if (existing) existing.isReady = true
    else {
      const outbox = { accountId, tokenId, systemId, queue: [], isReady: true, share: 1 }
      this.#outboxes.set(tokenId, outbox)
    }
    this.#wake()
  }

  /** Slots may have become free. */
  slotsFree({ system }: Bind): void {
    const outbox = this.#outboxes.get(system.tokenId)
    if (!outbox) return
    this.#pump(outbox)
    if (outbox.isReady) this.#wake()
  }

  /** Exactly one for each deliver_sm that was sent. Those of a connection that ends come before its end. */
  answered(bind: Bind, outgoing: Outgoing, outcome: RequestOutcome): void {
    this.#counts.delivered(outcome)
    outgoing.noteOutcome(outcome)
    if (outgoing.isDone) this.#settle(outgoing)
    this.slotsFree(bind)
  }

  /** Unsent deliveries of this bind are sent over another one later. */
  closed(bind: Bind): void {
    const outbox = this.#outboxes.get(bind.system.tokenId)
    if (!outbox) return
    for (const { outgoing, bind: own } of outbox.queue) {
      if (own !== bind) continue
      outgoing.noteLost()
      if (outgoing.isDone) this.#settle(outgoing)
    }
    outbox.queue = outbox.queue.filter((one) => one.bind !== bind)
    if (this.#registry.receiversOf(outbox.tokenId).size === 0) this.#abandon(outbox)
    else this.#pump(outbox)
  }

  /** Claims no more. Resolves when everything claimed is recorded. Binds end first. */
  async drain(): Promise<void> {
    this.#isStopping = true
    for (const outbox of this.#outboxes.values()) this.#abandon(outbox)
    await this.#inFlight.drain()
    await this.#recorder.drain()
  }

  #abandon(outbox: Outbox): void {
    this.#outboxes.delete(outbox.tokenId)
    for (const { outgoing } of outbox.queue.splice(0)) {
      outgoing.noteLost()
      if (outgoing.isDone) this.#settle(outgoing)
    }
  }

  async #step(): Promise<number> {
    if (this.#outboxes.size === 0 || this.#isStopping) return 0
    const { clock } = this.#world
    const now = clock.now()
    for (const { subscriberId } of await this.#finder.look(now)) {
      const outbox = this.#outboxes.get(subscriberId)
      if (outbox) outbox.isReady = true
    }
    let claimed = 0
    for (const outbox of [...this.#outboxes.values()]) {
      const claim = () => this.#claim(outbox, now)
      const count = await this.#aside.attempt(outbox.accountId, claim)
      claimed += count ?? 0
    }
    return claimed
  }

  #freeSlots({ tokenId, queue }: Outbox): number {
    let free = 0
    for (const { socket } of this.#registry.receiversOf(tokenId)) free += socket.freeSlots
    return free - queue.length
  }

  async #claim(outbox: Outbox, now: Date): Promise<number> {
    const slots = outbox.isReady ? this.#freeSlots(outbox) : 0
    if (slots <= 0) return 0
    const { accountId, tokenId } = outbox
    const { db } = this.#world
    const leaseUntil = new Date(now.getTime() + LEASE_MS)
    outbox.isReady = false
    const count = Math.min(CLAIM_MAX, Math.ceil(slots / Math.max(outbox.share, slots / CLAIM_MAX)))
    const requests = [{ subscriberId: tokenId, slots: count }]
    const rows = await claimDeliveries(db, accountId, requests, now, leaseUntil)
    if (rows.length === count) outbox.isReady = true
    const claimed = rows.filter((row) => row.isClaimed)
    const outgoing = await this.#prepare(outbox, claimed, leaseUntil)
    const sendable = outgoing.filter(({ isDone }) => !isDone)
    if (outgoing.length > 0) outbox.share = sendable.length / outgoing.length
    await this.#release(outbox, sendable.slice(slots), now)
    const released = new Set(sendable.slice(slots))
    for (const one of outgoing) if (!released.has(one)) this.#hold(outbox, one)
    this.#pump(outbox)
    return rows.length
  }

  /** More than there are slots, so another bind can take them at once. */
  async #release(outbox: Outbox, outgoing: readonly Outgoing[], now: Date): Promise<void> {
    if (outgoing.length === 0) return
    outbox.isReady = true
    const ids = outgoing.map(({ delivery }) => delivery.id)
    const leases = [outgoing[0]!.leaseUntil]
    await releaseDeliveries(this.#world.db, outbox.accountId, ids, leases, now)
  }

  async #prepare(
    { accountId, systemId }: Outbox,
    rows: readonly ClaimedDelivery[],
    leaseUntil: Date,
  ): Promise<Outgoing[]> {
    if (rows.length === 0) return []
    const { db } = this.#world
    const messageIds = rows.flatMap(({ messageId }) => messageId ?? [])
    const [events, messages] = await Promise.all([
      listEventsById(
        db,
        accountId,
        rows.map(({ eventId }) => eventId),
      ),
      messageIds.length === 0 ? [] : listMessagesById(db, accountId, messageIds),
    ])
    const eventById = new Map(events.map((event) => [event.id, event]))
    const messageById = new Map(messages.map((message) => [message.id, message]))
    return rows.map((row) => {
      const event = eventById.get(row.eventId)
      const message = messageById.get(row.messageId ?? '')
      const pdus = event ? deliveriesOf(event, message, systemId) : []
      return new Outgoing(accountId, row, pdus, leaseUntil)
    })
  }

  #hold(outbox: Outbox, outgoing: Outgoing): void {
    const current = this.#inFlight.get(outgoing.delivery.id)
    if (current) {
      // A jump of the clock ended its lease during the send, so it was claimed again.
      current.leaseUntil = outgoing.leaseUntil
      return
    }
    this.#inFlight.hold(outgoing.delivery.id, outgoing)
    if (outgoing.isDone) this.#settle(outgoing)
    else if (this.#outboxes.get(outbox.tokenId) === outbox) {
      outbox.queue.push({ outgoing, bind: null })
    } else {
      // The last bind ended during the claim.
      outgoing.noteLost()
      this.#settle(outgoing)
    }
  }

  /** In order. If the first waits because its bind is full, the others wait, too. */
  #pump(outbox: Outbox): void {
    for (let head = outbox.queue[0]; head; head = outbox.queue[0]) {
      head.bind ??= this.#chooseBind(outbox)
      if (head.bind) this.#sendOver(head.bind, head.outgoing)
      if (head.outgoing.next !== undefined) return
      outbox.queue.shift()
    }
  }

  /** The bind with the most free slots. */
  #chooseBind({ tokenId }: Outbox): Bind | null {
    let best: Bind | null = null
    for (const bind of this.#registry.receiversOf(tokenId)) {
      if (bind.socket.freeSlots > (best?.socket.freeSlots ?? 0)) best = bind
    }
    return best
  }

  #sendOver({ socket }: Bind, outgoing: Outgoing): void {
    for (let pdu = outgoing.next; pdu; pdu = outgoing.next) {
      if (!socket.request('deliver_sm', pdu.fields, pdu.tlvs, outgoing)) return
      outgoing.noteSent()
    }
  }

  #settle(outgoing: Outgoing): void {
    const { accountId, delivery } = outgoing
    const outcome = outgoing.settle(this.#world.clock.now())
    this.#recorder
      .add(accountId, { outgoing, outcome })
      // A delivery that could not be recorded is left to its lease and sent again.
      .catch((error) => this.#world.log.error({ err: error }, 'an SMPP delivery is not recorded'))
      .finally(() => this.#inFlight.release(delivery.id))
  }

  async #write(accountId: string, recordings: readonly Recording[]): Promise<undefined[]> {
    const { db, clock, hints } = this.#world
    const outcomes = recordings.map(({ outcome }) => outcome)
    await recordOutcomes(db, accountId, outcomes, clock.now())
    // Queues are read ahead there: without this, a retry could be due before the next read.
    if (hints.areShared && outcomes.some(({ state }) => state === 'pending'))
      this.#finder.hint([accountId])
    const finished = recordings.flatMap(({ outgoing, outcome }) => outgoing.finishedEvent(outcome))
    if (finished.length > 0) {
      for (const tokenId of await wakeLaterDeliveries(db, accountId, finished, clock.now())) {
        const outbox = this.#outboxes.get(tokenId)
        if (outbox) outbox.isReady = true
      }
      this.#wake()
    }
    return recordings.map(() => undefined)
  }
}
