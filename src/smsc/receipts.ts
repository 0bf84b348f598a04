// The receipt of a message in one of the dialects of carriers: in text, in TLVs, or both.

import { addressFields } from '../smpp/address.js'
import type { BodyOf } from '../smpp/pdu/pdu.js'
import { makeStandardTlv, STANDARD_TLVS, type Tlv } from '../smpp/pdu/tlv.js'
import { writeReceipt } from '../smpp/write-receipt.js'
import type { AcceptedPart } from './accepted-messages.js'
import type { SmscSettings } from './smsc-options.js'

const NO_OCTETS = Buffer.alloc(0)
const GSM_NETWORK = 3
const REFERENCE_TAG = STANDARD_TLVS.userMessageReference.tag
const RECEIPT_BITS = 0b11
const NEVER = 0
const ON_FAILURE = 2
const ON_SUCCESS = 3

/** From registered_delivery. */
export function wantsReceipt({ registeredDelivery, state }: AcceptedPart): boolean {
  const requested = registeredDelivery & RECEIPT_BITS
  if (requested === NEVER) return false
  if (requested === ON_FAILURE) return state !== 'DELIVERED'
  return requested === ON_SUCCESS ? state === 'DELIVERED' : true
}

export function receiptOf(
  part: AcceptedPart,
  {
    receiptDialect: dialect,
    returnsReference,
  }: Pick<SmscSettings, 'receiptDialect' | 'returnsReference'>,
): { fields: Partial<BodyOf<'deliver_sm'>>; tlvs: readonly Tlv[] } {
  const { esmClass, shortMessage, tlvs } = writeReceipt({
    messageId: part.id.inReceipt,
    state: part.state,
    error: part.error,
    submittedAt: part.acceptedAt,
    doneAt: part.doneAt ?? part.acceptedAt,
    text: part.text ?? '',
  })
  return {
    fields: {
      ...addressFields(part.to, part.from), // it comes from the phone
      esmClass,
      shortMessage: dialect === 'tlv' ? NO_OCTETS : shortMessage,
    },
    tlvs: [
      ...(dialect === 'text' ? [] : [...tlvs, ...networkError(part.error)]),
      ...(returnsReference ? part.tlvs.filter(({ tag }) => tag === REFERENCE_TAG) : []),
    ],
  }
}

function networkError(error: number): Tlv[] {
  if (error === 0) return []
  return [makeStandardTlv('networkErrorCode', Buffer.from([GSM_NETWORK, error >> 8, error & 0xff]))]
}
