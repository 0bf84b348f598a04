// What a message costs, in the same words everywhere: an amount, Free, or Refunded.

import type { Message } from '../../generated/types.gen'
import { formatMoney } from './format'

/** A failed message with price 0 was charged when it was accepted, and refunded. */
export function describePrice(
  { price, direction, errorCode }: Pick<Message, 'price' | 'direction' | 'errorCode'>,
  digits?: number,
): string {
  if (price > 0) return formatMoney(price, digits)
  return direction === 'INBOUND' || errorCode === null ? 'Free' : 'Refunded'
}
