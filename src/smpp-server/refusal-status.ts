// Maps HTTP refusals to SMPP statuses, in one table. The HTTP error text is sent along in a TLV,
// additional_status_info_text.

import type { Refusal, RefusalCode } from '../kit/contract/refusal.js'
import { STATUS, type StatusName } from '../smpp/pdu/status.js'
import { makeStandardTlv, type Tlv } from '../smpp/pdu/tlv.js'

/** The reason, for the client and its log. */
export interface No {
  status: StatusName
  sentence: string
}

/** The problem with a field of the request, by its HTTP name. */
const BY_FIELD: Record<string, StatusName> = {
  body: 'ESME_RINVMSGLEN',
  to: 'ESME_RINVDSTADR',
  from: 'ESME_RINVSRCADR',
  campaign: 'ESME_RINVSRCADR',
  scheduledAt: 'ESME_RINVSCHED',
  validitySeconds: 'ESME_RINVEXPIRY',
}

const BY_CODE: Partial<Record<RefusalCode, StatusName>> = {
  sender_foreign: 'ESME_RINVSRCADR',
  campaign_missing: 'ESME_RINVSRCADR',
  campaign_state: 'ESME_RSUBMITFAIL',
  campaign_numberless: 'ESME_RSUBMITFAIL',
  balance_insufficient: 'ESME_RSUBMITFAIL',
  queue_full: 'ESME_RMSGQFUL',
  messages_full: 'ESME_RSUBMITFAIL',
  recipient_opted_out: 'ESME_RPROHIBITED',
  account_suspended: 'ESME_RPROHIBITED',
  scope_absent: 'ESME_RPROHIBITED',
  message_missing: 'ESME_RINVMSGID',
  message_state: 'ESME_RCANCELFAIL',
  rate_limited: 'ESME_RTHROTTLED',
  concurrency_limited: 'ESME_RTHROTTLED',
  idempotency_key_invalid: 'ESME_RINVOPTPARAMVAL',
  idempotency_other_request: 'ESME_RINVOPTPARAMVAL',
  idempotency_in_flight: 'ESME_RMSGQFUL',
  database_busy: 'ESME_RMSGQFUL',
  database_unavailable: 'ESME_RMSGQFUL',
  database_full: 'ESME_RMSGQFUL',
  database_read_only: 'ESME_RMSGQFUL',
  sends_too_many: 'ESME_RTHROTTLED',
  not_ready: 'ESME_RMSGQFUL',
  carrier_absent: 'ESME_RSYSERR',
  server_failure: 'ESME_RSYSERR',
}

/** The same submit may be accepted later. */
const TEMPORARY: readonly StatusName[] = ['ESME_RTHROTTLED', 'ESME_RMSGQFUL', 'ESME_RSYSERR']

/** The length of the TLV, including its NUL. */
const SENTENCE_OCTETS_MAX = 256

export function noOf(refusal: Refusal): No {
  const field = refusal.details?.[0]?.field.split(/[.[]/, 1)[0] ?? ''
  const status = BY_CODE[refusal.code] ?? BY_FIELD[field] ?? 'ESME_RSUBMITFAIL'
  return { status, sentence: refusal.message }
}

export function isTemporary({ status }: No): boolean {
  return TEMPORARY.includes(status)
}

export function answerOf({ status, sentence }: No): { status: number; tlvs: Tlv[] } {
  const text = sentence.replaceAll(/[^ -~]/g, '?').slice(0, SENTENCE_OCTETS_MAX - 1)
  return {
    status: STATUS[status].code,
    tlvs: [makeStandardTlv('additionalStatusInfoText', text)],
  }
}
