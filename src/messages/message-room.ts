// Assembles the messages module: what sends, dispatches, and receives, with the given carrier link.

import type { AccountId } from '../accounts/account.js'
import { createQuotaBook } from '../accounts/quota-book.js'
import { DirectDeliveries } from '../events/queue/direct-deliveries.js'
import { createHttpClient } from '../kit/http-client/http-client.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { createPriceBook, type PriceBook } from '../ledger/price-book.js'
import type { Carrier, CarrierListener } from './carrier-port.js'
import { Dispatcher } from './dispatch/dispatcher.js'
import { expiryLoop } from './dispatch/expire-messages.js'
import { FETCHES_PER_ORIGIN, OutboundMedia } from './dispatch/outbound-media.js'
import { settleLoop, takeLateAnswer } from './dispatch/settle-unknown.js'
import { LinkEvidence } from './evidence/link-evidence.js'
import { overduePartsLoop } from './inbound/assemble-parts.js'
import { createReceiver, type InboundReceiver, type NoteReply } from './inbound/receive-message.js'
import { purgeInboundIds } from './inbound/repeat-queries.js'
import { createAddressBook } from './media/address-book.js'
import { inboundMediaLoop } from './media/inbound-media.js'
import { limitsOf } from './media/media-limits.js'
import { FilePreparer } from './media/prepare-files.js'
import { ImageShrinker } from './media/shrink-image.js'
import { findUpload, Uploads } from './media/uploads.js'
import { FILE_BYTES_MAX } from './media.js'
import { listMessagesById } from './message-queries.js'
import { wireMessage } from './message-wire.js'
import { appendEntries } from './moves/move-queries.js'
import { MoveRecorder } from './moves/move-recorder.js'
import { ReceiptReceiver } from './moves/receive-receipts.js'
import { RecentIds } from './moves/recent-ids.js'
import { purgeIdsLoop, waitingReceiptsLoop } from './moves/waiting-receipts.js'
import { createAcceptor } from './send/accept-messages.js'
import { SenderChoice } from './send/choose-sender.js'
import { createSendService, type SendService } from './send/send-message.js'
import { SendQuota } from './send/send-quota.js'
import { SendingContexts } from './send/sending-context.js'

const MEDIA_TIMEOUT_MS = 10_000

export interface MessageRoom {
  sendService: SendService
  prices: PriceBook
  uploads: Uploads
  receiver: InboundReceiver
  listener: CarrierListener
  dispatchLoop: Loop
  expiryLoop: Loop
  settleLoop: Loop
  waitingReceiptsLoop: Loop
  purgeIdsLoop: Loop
  partsLoop: Loop
  inboundMediaLoop: Loop
  /** For the deliverer of this process. */
  directDeliveries: DirectDeliveries
  /** Waits for everything that is being accepted, submitted, or recorded. */
  stop: () => Promise<void>
}

export function createMessageRoom(
  world: World,
  carrier: Carrier,
  noteReply: NoteReply,
): MessageRoom {
  const fetching = {
    timeoutMs: MEDIA_TIMEOUT_MS,
    maxResponseBytes: FILE_BYTES_MAX,
    connectionsPerOrigin: FETCHES_PER_ORIGIN,
  }
  const http = createHttpClient({ allowPrivate: world.config.mode === 'sandbox', ...fetching })
  const ownHttp = createHttpClient({ allowPrivate: true, ...fetching })
  const recent = new RecentIds()
  const evidence = new LinkEvidence(world)
  const directDeliveries = new DirectDeliveries()
  const recorder = new MoveRecorder(world, recent, evidence, directDeliveries)
  const receipts = new ReceiptReceiver(world, { recorder, recent, carrier, evidence })
  const stopping = new AbortController()
  const shrinker = new ImageShrinker(world.log)
  const preparer = new FilePreparer(world, shrinker)
  const addresses = createAddressBook(world)
  const media = new OutboundMedia({
    ...{ http, signal: stopping.signal, preparer },
    uploadOf: (url) => findUpload(addresses, url),
    limitsOf: (message) => {
      const terms = carrier.mediaTerms?.(message) ?? null
      return terms && limitsOf(terms, carrier.networkOf(message.to))
    },
  })
  const dispatcher = new Dispatcher(world, { carrier, recorder, media, addresses, evidence })
  const isDispatching = world.config.roles.includes('dispatch')
  // Reports a missing library at startup, not with the first photo.
  if (carrier.mediaTerms && isDispatching) void shrinker.load() // never rejects
  const sending = { ...world, db: world.db.pool('send') }
  const acceptor = createAcceptor(sending, (...batch) => dispatcher.handOff(...batch))
  const receiver = createReceiver(world, { carrier, noteReply })
  const prices = createPriceBook(sending)
  const quotas = createQuotaBook(sending)
  return {
    sendService: createSendService(sending, {
      acceptor,
      contexts: new SendingContexts(sending.db, world.clock),
      senders: new SenderChoice(sending.db),
      carrier,
      prices,
      quota: new SendQuota(sending.db, quotas),
      addresses,
      dispatcher: isDispatching ? dispatcher : null,
    }),
    prices,
    uploads: new Uploads({ ...world, db: world.db.pool('read') }, { addresses, preparer, quotas }),
    receiver,
    listener: {
      receipt: (receipt) => receipts.receive(receipt),
      inbound: async (inbound) => ({ messageId: await receiver.receive(inbound) }),
      lateAnswer: (late) => takeLateAnswer(world, recorder, late),
    },
    dispatchLoop: dispatcher.loop,
    expiryLoop: expiryLoop(world, recorder),
    settleLoop: settleLoop(world, { carrier, recorder, receipts, evidence }),
    waitingReceiptsLoop: waitingReceiptsLoop(world, receipts),
    purgeIdsLoop: purgeIdsLoop(world, purgeInboundIds),
    partsLoop: overduePartsLoop(world, receiver.receiveIn),
    inboundMediaLoop: inboundMediaLoop(world, {
      ...{ carrier, http, ownHttp, quotas },
      note: (tx, { accountId, messageId }, entry) =>
        appendEntries(tx, accountId, [{ messageId, entry }]),
    }),
    directDeliveries,
    stop: async () => {
      await acceptor.drain()
      await dispatcher.drain()
      await receipts.drain()
      await evidence.flush()
      stopping.abort()
      await Promise.all([http.close(), ownHttp.close()])
    },
  }
}

/** Messages in webhook events: the current wire form, by ID. */
export async function describeMessages(
  db: Queryable,
  accountId: AccountId,
  messageIds: readonly string[],
): Promise<Map<string, Record<string, unknown>>> {
  const messages = await listMessagesById(db, accountId, messageIds)
  return new Map(messages.map((message) => [message.id, wireMessage(message)]))
}
