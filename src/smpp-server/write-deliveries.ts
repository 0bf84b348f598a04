// Converts an event to the deliver_sm for a customer, or to none if the customer does not need it. Pure.

import type { Event } from '../events/event.js'
import type { Message } from '../messages/message.js'
import type { Status } from '../messages/message-state.js'
import { addressFields } from '../smpp/address.js'
import type { BodyOf } from '../smpp/pdu/pdu.js'
import { makeStandardTlv, type Tlv } from '../smpp/pdu/tlv.js'
import { INTERMEDIATE, RECEIPT } from '../smpp/receipt.js'
import { chooseCoding, USUAL_CODINGS } from '../smpp/text/data-coding.js'
import { splitMessage } from '../smpp/text/split-message.js'
import { type WrittenReceipt, writeReceipt } from '../smpp/write-receipt.js'
import type { EndedParts } from './join-parts.js'
import { stateOf } from './message-states.js'
import { isWanted, originOf, partId } from './receipt-request.js'

export interface DeliverSm {
  fields: Partial<BodyOf<'deliver_sm'>>
  tlvs: readonly Tlv[]
}

const NONE: readonly DeliverSm[] = []

/** The event's message in its current state. Undefined if there is none or it was deleted. */
export function deliveriesOf(
  event: Event,
  message: Message | undefined,
  systemId: string,
): readonly DeliverSm[] {
  switch (event.eventType) {
    case 'message.incoming':
      return message ? inbound(message) : NONE
    case 'message.status':
      return message ? receipts(event, message, systemId) : NONE
    case 'smpp.receipt':
      return endedParts(event)
    default:
      return NONE
  }
}

/**
 * In parts with a header, which every client supports. The reference is derived from the message, so resent parts
 * match.
 */
function inbound(message: Message): DeliverSm[] {
  const text = [message.body, ...message.mediaUrls].filter((line) => line !== '').join('\n')
  const coding = chooseCoding(text, USUAL_CODINGS)!
  const addresses = addressFields(message.peer, message.number)
  return splitMessage(text, coding, 'udh8', referenceOf(message.id)).map(({ tlvs, ...part }) => ({
    fields: { ...addresses, ...part },
    tlvs,
  }))
}

function referenceOf(id: string): number {
  let sum = 0
  for (const char of id) sum = (sum * 31 + char.charCodeAt(0)) & 0xff
  return sum
}

function receipts(event: Event, message: Message, systemId: string): DeliverSm[] {
  const origin = originOf(message.metadata)
  if (origin?.systemId !== systemId) return []
  const { state, news } = newsOf(event)
  if (news === null) return []
  const { set } = origin
  const requests = [
    ...(set?.parts ?? []).map(({ sequence, flags }) => ({ id: partId(set!.id, sequence), flags })),
    { id: message.id, flags: origin.receipt },
  ]
  const reference =
    origin.reference === null
      ? []
      : [makeStandardTlv('userMessageReference', origin.reference & 0xffff)]
  return requests
    .filter(({ flags }) => isWanted(flags, news))
    .map(({ id }) =>
      receiptOf(
        {
          messageId: id,
          state,
          error: errorOf(event.errorCode),
          submittedAt: message.createdAt,
          doneAt: event.createdAt,
          text: message.body,
        },
        {
          ...addressFields(message.peer, message.number),
          esmClass: news === 'intermediate' ? INTERMEDIATE : RECEIPT,
        },
        reference,
      ),
    )
}

/** READ follows DELIVERED, which was reported. If READ comes alone, it is reported as DELIVERED. */
function newsOf({ status, previousStatus, errorCode }: Event) {
  const isFirstNews = status === 'READ' && previousStatus !== 'DELIVERED'
  return stateOf(isFirstNews ? 'DELIVERED' : (status as Status), errorCode)
}

/** The last three digits of our code. */
function errorOf(errorCode: number | null): number {
  return errorCode === null ? 0 : errorCode % 1000
}

function endedParts(event: Event): DeliverSm[] {
  const { ids, state, error, number, peer, submittedAt } = event.data as unknown as EndedParts
  const times = { submittedAt: new Date(submittedAt), doneAt: event.createdAt }
  return ids.map((messageId) =>
    receiptOf(
      { messageId, state, error, ...times, text: '' },
      { ...addressFields(peer, number), esmClass: RECEIPT },
      [],
    ),
  )
}

function receiptOf(
  receipt: WrittenReceipt,
  fields: Partial<BodyOf<'deliver_sm'>>,
  tlvs: readonly Tlv[],
): DeliverSm {
  const { shortMessage, tlvs: own } = writeReceipt(receipt)
  return { fields: { ...fields, shortMessage }, tlvs: [...own, ...tlvs] }
}
