// One connection of a customer: the bind, then its requests, each answered when its work is done.

import type { Socket } from 'node:net'
import { recordTokenUse } from '../accounts/token-queries.js'
import { ensureSubscription } from '../events/subscription-queries.js'
import { newId } from '../kit/ids.js'
import type { World } from '../kit/world.js'
import { STATUS, type StatusName } from '../smpp/pdu/status.js'
import type {
  BindPdu,
  SessionEvent,
  SessionSettings,
  WorkPdu,
} from '../smpp/session/session-event.js'
import { SmppSocket } from '../smpp/sockets/smpp-socket.js'
import type { BindGuard } from './admit-binds.js'
import type { BindRegistry } from './bind-registry.js'
import { cancelSubmitted, queryMessage, refuseReplace } from './message-requests.js'
import type { Outgoing } from './outgoing.js'
import { answerOf } from './refusal-status.js'
import type { EventSender } from './send-events.js'
import type { SmppCounts } from './smpp-counts.js'
import type { Submitter } from './submit-messages.js'
import { type Bind, receives, type System } from './system.js'

export interface CustomerConnectionDeps {
  guard: BindGuard
  registry: BindRegistry
  submitter: Submitter
  events: EventSender
  counts: SmppCounts
  settings: SessionSettings
}

/** Our system ID in bind responses. */
const OWN_NAME = 'Longcode'
const AGAIN_MS = 500
const { ESME_ROK } = STATUS

export class CustomerConnection {
  readonly #world: World
  readonly #deps: CustomerConnectionDeps
  readonly #address: string
  readonly #socket: SmppSocket<Outgoing>
  readonly #onClosed: () => void
  #bind: Bind | null = null

  constructor(world: World, deps: CustomerConnectionDeps, socket: Socket, onClosed: () => void) {
    this.#world = world
    this.#deps = deps
    this.#address = socket.remoteAddress ?? ''
    this.#onClosed = onClosed
    this.#socket = new SmppSocket<Outgoing>(socket, deps.settings, {
      onSessionEvent: (sessionEvent) => this.#happened(sessionEvent),
      onDrain: () => this.#bind && deps.events.slotsFree(this.#bind),
    })
  }

  /** Orderly: requests in progress are answered first. */
  unbind(): void {
    this.#socket.unbind()
  }

  destroy(): void {
    this.#socket.destroy('The service is stopping')
  }

  #happened(sessionEvent: SessionEvent<Outgoing>): void {
    switch (sessionEvent.kind) {
      case 'bind_requested':
        void this.#takeBind(sessionEvent.pdu) // refuses what fails
        return
      case 'request':
        void this.#answer(sessionEvent.pdu) // answers what fails
        return
      case 'outcome':
        this.#deps.events.answered(this.#bind!, sessionEvent.token, sessionEvent.outcome)
        return
      case 'closed':
        this.#closed(sessionEvent.reason)
        return
      default:
        return
    }
  }

  async #takeBind(pdu: BindPdu): Promise<void> {
    const { guard, counts } = this.#deps
    const admission = await guard.admit(pdu, this.#address)
    const status =
      typeof admission === 'string' ? admission : await this.#becomeBound(pdu, admission)
    counts.bind(pdu.command, STATUS[status].code)
    if (status !== 'ESME_ROK') this.#socket.refuseBind(pdu, STATUS[status].code)
  }

  async #becomeBound(pdu: BindPdu, system: System): Promise<StatusName> {
    const { db, clock, log } = this.#world
    const { registry, events } = this.#deps
    const { accountId, tokenId } = system
    const as = pdu.command
    const id = newId('bnd', clock.machineNow())
    try {
      const { peer } = this.#socket
      const row = { accountId, id, tokenId, boundAs: as, peer }
      // A client that just unbound and binds again may be faster than the record of its unbind.
      const { binds } = system.limits
      const isIn =
        (await registry.reserve(row, binds)) || (await registry.reserveAfter(AGAIN_MS, row, binds))
      if (!isIn) {
        log.warn({ token: tokenId }, 'an SMPP bind was refused: its account has all its binds')
        return 'ESME_RALYBND'
      }
      // From its first bind on, of any kind, because its submits may have receipts before it can receive them.
      if (system.scopes.includes('read')) await ensureSubscription(db, subscriptionOf(system))
    } catch (error) {
      log.error({ err: error }, 'an SMPP bind could not be kept')
      return 'ESME_RSYSERR'
    }
    if (this.#socket.state !== 'binding') {
      registry.remove({ accountId, id })
      return 'ESME_RBINDFAIL'
    }
    this.#bind = { id, system, as, socket: this.#socket }
    registry.add(this.#bind)
    registry.applyWindow(this.#bind)
    this.#socket.acceptBind(pdu, OWN_NAME)
    log.info({ token: system.tokenId, as }, 'bound by SMPP')
    if (receives(this.#bind)) events.bound(this.#bind)
    // For display only: losing it must not fail the bind.
    recordTokenUse(db, { accountId, id: tokenId }, clock.now()).catch(() => {})
    return 'ESME_ROK'
  }

  async #answer(pdu: WorkPdu): Promise<void> {
    const { counts } = this.#deps
    const status = await this.#answerWith(pdu)
    counts.request(pdu.command, status)
  }

  /** Nothing called here rejects. */
  async #answerWith(pdu: WorkPdu): Promise<number> {
    const bind = this.#bind!
    switch (pdu.command) {
      case 'submit_sm':
      case 'data_sm': {
        const submitted = await this.#deps.submitter.submit(bind, pdu)
        const answer =
          'id' in submitted ? { fields: { messageId: submitted.id } } : answerOf(submitted)
        this.#socket.respond(pdu, answer)
        return 'status' in answer ? answer.status : ESME_ROK.code
      }
      case 'query_sm': {
        const answer = await queryMessage(this.#world, bind.system, pdu)
        this.#socket.respond(pdu, answer)
        return answer.status ?? ESME_ROK.code
      }
      case 'cancel_sm': {
        const answer = await cancelSubmitted(this.#world, bind.system, pdu)
        this.#socket.respond(pdu, answer)
        return answer.status ?? ESME_ROK.code
      }
      case 'replace_sm': {
        const answer = refuseReplace()
        this.#socket.respond(pdu, answer)
        return answer.status
      }
      default:
        return STATUS.ESME_RINVCMDID.code // deliver_sm is ours to send: the session has refused it
    }
  }

  #closed(reason: string): void {
    const bind = this.#bind
    if (bind) {
      const { system, id } = bind
      this.#deps.registry.remove({ accountId: system.accountId, id })
      this.#deps.events.closed(bind)
      this.#world.log.info({ token: system.tokenId, reason }, 'unbound by SMPP')
    }
    this.#onClosed()
  }
}

function subscriptionOf({ accountId, tokenId, systemId, campaignId, number }: System) {
  return {
    accountId,
    subscriberId: tokenId,
    campaignId: campaignId ?? '',
    eventTypes: ['message.incoming', 'message.status'] as const,
    numbers: number === null ? null : [number],
    receiptsOf: systemId,
  }
}
