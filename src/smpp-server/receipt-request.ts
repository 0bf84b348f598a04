// What a message stores about the submit that created it: who sent it, and which receipts it requested. It is
// written as metadata in the statement that accepts the message, so it cannot be lost without the message.
// Customers also see it over HTTP and in webhooks.

import { PARTS_KEY, RECEIPT_KEY, SYSTEM_KEY } from '../events/receipt-metadata.js'
import { isId } from '../kit/ids.js'

/** One part of a long message, and the receipts it requested. */
interface PartRequest {
  sequence: number
  /** The receipt bits of registered_delivery. */
  flags: number
}

export interface Origin {
  systemId: string
  /** registered_delivery of the submit that is answered with the message's own ID. */
  receipt: number
  /** user_message_reference, which receipts repeat. Null: none. */
  reference: number | null
  /** For a long message: the parts that were answered before it was complete. */
  set: { id: string; parts: readonly PartRequest[] } | null
}

const REFERENCE = 'smppReference'

export const RECEIPT_BITS = 0x1f
const INTERMEDIATE = 0x10

/** The response ID of a part while others are missing. */
export function partId(setId: string, sequence: number): string {
  return `${setId}-${sequence}`
}

/** The set that the part with this ID belongs to. Null if it is not a part's ID. */
export function setOfPart(id: string): string | null {
  const [setId = '', sequence = ''] = id.split('-')
  return isId('prt', setId) && /^\d{1,3}$/.test(sequence) ? setId : null
}

export function metadataOf({ systemId, receipt, reference, set }: Origin): Record<string, string> {
  const requests = (set?.parts ?? []).filter(({ flags }) => flags !== 0)
  const parts = requests.map(({ sequence, flags }) => `${sequence}=${flags}`)
  return {
    [SYSTEM_KEY]: systemId,
    ...(receipt !== 0 && { [RECEIPT_KEY]: String(receipt) }),
    ...(reference !== null && { [REFERENCE]: String(reference) }),
    ...(parts.length > 0 && { [PARTS_KEY]: [set!.id, ...parts].join(' ') }),
  }
}

/** Null for a message that was not sent over SMPP. What a customer writes there over HTTP affects nobody else. */
export function originOf(metadata: Readonly<Record<string, string>>): Origin | null {
  const systemId = metadata[SYSTEM_KEY]
  if (systemId === undefined) return null
  const reference = metadata[REFERENCE]
  const [id, ...requests] = metadata[PARTS_KEY]?.split(' ') ?? []
  const parts = requests.map((request) => {
    const [sequence, flags] = request.split('=')
    return { sequence: Number(sequence), flags: flagsOf(flags) }
  })
  return {
    systemId,
    receipt: flagsOf(metadata[RECEIPT_KEY]),
    reference: reference !== undefined && /^\d{1,5}$/.test(reference) ? Number(reference) : null,
    set: id === undefined ? null : { id, parts },
  }
}

function flagsOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,2}$/.test(text) ? Number(text) & RECEIPT_BITS : 0
}

/** Whether a receipt with this outcome was requested. The two low bits: none, any outcome, failure, success. */
export function isWanted(flags: number, news: 'success' | 'failure' | 'intermediate'): boolean {
  if (news === 'intermediate') return (flags & INTERMEDIATE) !== 0
  const request = flags & 0b11
  return request === 1 || request === (news === 'failure' ? 2 : 3)
}
