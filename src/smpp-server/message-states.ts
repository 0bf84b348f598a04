// Our message statuses as SMPP states. Pure.

import type { Status } from '../messages/message-state.js'
import type { MessageState } from '../smpp/message-state.js'

export interface StateFacts {
  state: MessageState
  /** Null: not reported in receipts. */
  news: 'success' | 'failure' | 'intermediate' | null
}

const CANCELED = 1410
/** Refused by the carrier or by us. */
const REJECTIONS: readonly number[] = [1320, 1330, 1340, 1345, 1370, 1375]

export function stateOf(status: Status, errorCode: number | null): StateFacts {
  switch (status) {
    case 'CREATED':
    case 'SCHEDULED':
    case 'QUEUED':
      return { state: 'ENROUTE', news: null }
    case 'SENT':
      return { state: 'ENROUTE', news: 'intermediate' }
    case 'DELIVERED':
      return { state: 'DELIVERED', news: 'success' }
    case 'READ':
      return { state: 'DELIVERED', news: null }
    case 'EXPIRED':
      return { state: 'EXPIRED', news: 'failure' }
    case 'FAILED':
      return { state: failedState(errorCode), news: 'failure' }
  }
}

function failedState(errorCode: number | null): MessageState {
  if (errorCode === CANCELED) return 'DELETED'
  return errorCode !== null && REJECTIONS.includes(errorCode) ? 'REJECTED' : 'UNDELIVERABLE'
}
