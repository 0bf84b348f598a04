// A call record as JSON.

import { timeOfId } from '../../kit/ids.js'
import { toDollars } from '../../kit/money.js'
import type { CallRecord } from './call-record.js'

export function wireCall({ priceMicros, ...call }: CallRecord) {
  return { ...call, at: timeOfId(call.id).toISOString(), price: toDollars(priceMicros) }
}
