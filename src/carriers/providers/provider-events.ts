// What a provider's callback means for the messages room: an inbound message, or a receipt. Pure.

import type { Inbound, Receipt } from '../../messages/carrier-port.js'
import type { NamedMessage, ProviderCall } from './provider.js'

/** The provider has accepted a STOP, maybe one that we never saw. */
export const OPTED_OUT = 1330

export function inboundOf(
  link: string,
  {
    from,
    to,
    body,
    mediaUrls,
    handled,
    facts,
    carrierId,
  }: Extract<ProviderCall, { kind: 'inbound' }>,
): Inbound {
  const network = facts.network === undefined ? {} : { network: facts.network }
  const message = { link, carrierId, from, to, body, mediaUrls, part: null, handledAs: handled }
  return { ...message, ...network }
}

/** `named`: our own name for the message, where the callback carries it. */
export function receiptOf(
  link: string,
  { status, errorCode, carrierCode, carrierId }: Extract<ProviderCall, { kind: 'receipt' }>,
  named: NamedMessage | null,
): Receipt {
  return {
    link,
    of: named ?? { carrierIds: [carrierId] },
    ...(named && { carrierId }),
    status: status === 'UNCONFIRMED' ? 'SENT' : status,
    errorCode,
    carrierCode,
    ...(status === 'UNCONFIRMED' && { isUnconfirmed: true }),
    ...(errorCode === OPTED_OUT && { isOptedOut: true }),
  }
}
