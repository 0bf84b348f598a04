// The messages room, assembled: what sends, dispatches and receives, with the carrier link given.

import type { AccountId } from '../accounts/account.js'
import { createHttpClient } from '../kit/http-client/http-client.js'
import { isId } from '../kit/ids.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { createPriceBook, type PriceBook } from '../ledger/price-book.js'
import type { Carrier, CarrierListener, Receipt } from './carrier-port.js'
import { Dispatcher } from './dispatch/dispatcher.js'
import { expiryLoop } from './dispatch/expire-messages.js'
import { createMediaCheck, FETCHES_PER_ORIGIN } from './dispatch/outbound-media.js'
import { overduePartsLoop } from './inbound/assemble-parts.js'
import { createReceiver, type Receiver } from './inbound/receive-message.js'
import { MEDIA_BYTES_MAX } from './media.js'
import { knownCode, MESSAGE_ERRORS } from './message-errors.js'
import { listMessagesById } from './message-queries.js'
import { wireMessage } from './message-wire.js'
import { insertStrayReceipts, type Move } from './moves/move-queries.js'
import { createMoveRecorder, type MoveRecorder } from './moves/record-moves.js'
import { createAcceptor } from './send/accept-messages.js'
import { SenderChoice } from './send/choose-sender.js'
import { createSendService, type SendService } from './send/send-message.js'
import { SendingContexts } from './send/sending-context.js'
import { encodeAnswer } from './timeline.js'

const MEDIA_TIMEOUT_MS = 10_000

export interface MessageRoom {
  sendService: SendService
  prices: PriceBook
  receiver: Receiver
  listener: CarrierListener
  dispatchLoop: Loop
  expiryLoop: Loop
  partsLoop: Loop
  /** Waits for what is accepted, submitted or to be recorded. */
  stop: () => Promise<void>
}

export function createMessageRoom(world: World, carrier: Carrier): MessageRoom {
  const http = createHttpClient({
    allowPrivate: world.config.mode === 'sandbox',
    timeoutMs: MEDIA_TIMEOUT_MS,
    maxResponseBytes: MEDIA_BYTES_MAX,
    connectionsPerOrigin: FETCHES_PER_ORIGIN,
  })
  const recorder = createMoveRecorder(world)
  const stopping = new AbortController()
  const checkMedia = createMediaCheck(http, stopping.signal)
  const dispatcher = new Dispatcher(world, { carrier, recorder, checkMedia })
  const isDispatching = world.config.roles.includes('dispatch')
  const acceptor = createAcceptor(world, (...batch) => dispatcher.handOn(...batch))
  const receiver = createReceiver(world, { http, carrier })
  const prices = createPriceBook(world)
  return {
    sendService: createSendService(world, {
      acceptor,
      contexts: new SendingContexts(world.db, world.clock),
      senders: new SenderChoice(world.db),
      carrier,
      prices,
      dispatcher: isDispatching ? dispatcher : null,
    }),
    prices,
    receiver,
    listener: listenerOf(world, carrier, recorder, receiver),
    dispatchLoop: dispatcher.loop,
    expiryLoop: expiryLoop(world, recorder),
    partsLoop: overduePartsLoop(world, receiver.receiveIn),
    stop: async () => {
      await acceptor.drain()
      await dispatcher.drain()
      stopping.abort()
      await http.close()
    },
  }
}

/** What the carrier tells us; each promise resolves when it is durable. */
function listenerOf(
  world: World,
  carrier: Carrier,
  recorder: MoveRecorder,
  receiver: Receiver,
): CarrierListener {
  return {
    receipt: async (receipt) => {
      const now = world.clock.now()
      const isKnown = isId('msg', receipt.messageId)
      const outcome = isKnown
        ? await recorder.move(receipt.accountId, moveOf(world, receipt, now))
        : 'unknown'
      if (outcome === 'unknown') {
        await insertStrayReceipts(world.db, carrier.name, [receipt], now)
      }
    },
    inbound: async (inbound) => ({ messageId: await receiver.receive(inbound) }),
  }
}

function moveOf(
  { config }: World,
  { messageId, status, errorCode: given }: Receipt,
  now: Date,
): Move {
  if (status !== 'FAILED') {
    const entry = encodeAnswer(config, now, status.toLowerCase())
    return { messageId, target: status, errorCode: null, entry, isReceipt: true }
  }
  const errorCode = knownCode(given ?? 1499)
  const detail = `${errorCode} ${MESSAGE_ERRORS[errorCode].text}`
  const entry = encodeAnswer(config, now, 'failed', detail)
  return { messageId, target: status, errorCode, entry, isReceipt: true }
}

/** What webhooks tell of messages: the wire form as of now, by id. */
export async function describeMessages(
  db: Queryable,
  accountId: AccountId,
  messageIds: readonly string[],
): Promise<Map<string, Record<string, unknown>>> {
  const messages = await listMessagesById(db, accountId, messageIds)
  return new Map(messages.map((message) => [message.id, wireMessage(message)]))
}
