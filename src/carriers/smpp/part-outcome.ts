// What the answer to a submit_sm, or none, makes of the part that was sent. Pure.

import type { ResponsePdu } from '../../smpp/pdu/pdu.js'
import { STATUS } from '../../smpp/pdu/status.js'
import { USUAL_RECOVERY } from '../../smpp/session/rate-governor.js'
import { statusVerdict } from '../smpp-errors.js'
import type { PartOutcome } from './outgoing-message.js'
import { answerId } from './read-delivery.js'
import type { SmppLinkSettings } from './smpp-settings.js'
import { readNetwork } from './tlv-values.js'

const UNKNOWN_DETAILS = {
  timeout: 'The carrier did not answer in time',
  closed: 'The connection was lost before the carrier answered',
  malformed: 'The answer of the carrier could not be read',
} as const

export function unknownOutcome(reason: keyof typeof UNKNOWN_DETAILS): PartOutcome {
  return { kind: 'unknown', detail: UNKNOWN_DETAILS[reason] }
}

export function answeredOutcome(pdu: ResponsePdu, settings: SmppLinkSettings): PartOutcome {
  if (pdu.command === 'generic_nack') return nackedOutcome(pdu.status, settings)
  const verdict = statusVerdict(pdu.status, settings.carrierCodes)
  switch (verdict.kind) {
    case 'sent':
      return {
        kind: 'taken',
        carrierId: idOf(pdu, settings),
        network: readNetwork(pdu.tlvs, settings.answerNetwork),
      }
    case 'failed':
      return verdict
    default:
      return notTaken(verdict.kind, pdu.status, settings)
  }
}

/** The peer did not understand it, and so did not take it, whatever it says besides. */
export function nackedOutcome(status: number, settings: SmppLinkSettings): PartOutcome {
  const verdict = statusVerdict(status, settings.carrierCodes)
  if (verdict.kind === 'failed') return verdict
  if (verdict.kind === 'sent') {
    return { kind: 'failed', errorCode: 1375, carrierCode: 'generic_nack', concerns: 'link' }
  }
  return notTaken(verdict.kind, status, settings)
}

/** Where the carrier complains of the rate, the link rests for a moment, and so may the message. */
function notTaken(
  kind: 'slow_down' | 'down',
  status: number,
  settings: SmppLinkSettings,
): PartOutcome {
  if (!isThrottle(status, settings)) return { kind: 'not_taken', answer: { kind } }
  const answer = { kind: 'slow_down' as const, retryAfterMs: USUAL_RECOVERY.pauseMs }
  return { kind: 'not_taken', answer }
}

/** Whether the carrier says by it that messages come too fast. */
export function isThrottle(status: number, { carrierCodes }: SmppLinkSettings): boolean {
  const own = carrierCodes.statuses?.get(status)
  if (own !== undefined) return own === 'slow_down'
  return status === STATUS.ESME_RTHROTTLED.code || status === STATUS.ESME_RMSGQFUL.code
}

function idOf({ body }: ResponsePdu, settings: SmppLinkSettings): string {
  return body && 'messageId' in body ? answerId(body.messageId, settings) : ''
}
