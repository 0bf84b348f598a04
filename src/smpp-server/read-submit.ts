// Converts a submit_sm or data_sm to a send with the same fields as the HTTP request, or to a problem. Pure.

import { KEY_LENGTH_MAX } from '../accounts/idempotency.js'
import type { SmppSystem } from '../accounts/smpp-system.js'
import type { SendInput } from '../messages/send/compose-message.js'
import { VALIDITY_SECONDS_MAX } from '../messages/validity.js'
import { numberOf } from '../smpp/address.js'
import type { SubmitPdu } from '../smpp/pdu/pdu.js'
import { readTlv, standardTlv } from '../smpp/pdu/tlv.js'
import { USUAL_CODINGS } from '../smpp/text/data-coding.js'
import { readMessage } from '../smpp/text/read-message.js'
import type { PartFacts } from '../smpp/text/user-data-header.js'
import { readTime } from '../smpp/time.js'
import { RECEIPT_BITS } from './receipt-request.js'
import type { No } from './refusal-status.js'

export interface Submit {
  /** Without metadata, which is complete only when the message is. */
  input: SendInput
  /** As written. Empty if it was left out. */
  sender: string
  /** Null: the whole message. */
  part: PartFacts | null
  receipt: number
  reference: number | null
  /** The Idempotency-Key. Null: none. */
  key: string | null
}

/** In the vendor range: the equivalent of the Idempotency-Key header. */
const OWN_TLVS = { idempotencyKey: { tag: 0x1501, type: 'cstring' } } as const
/** More than a text of the maximum length needs. */
const PARTS_MAX = 50
/** The message type. An ESME sends only plain ones. */
const ESM_TYPE_BITS = 0b0011_1100

export function readSubmit(pdu: SubmitPdu, system: SmppSystem, now: Date): Submit | No {
  const { body, tlvs } = pdu
  if ((body.esmClass & ESM_TYPE_BITS) !== 0) {
    return no('ESME_RINVESMCLASS', 'esm_class must be that of a plain message')
  }
  const { text, part } = readMessage(pdu, USUAL_CODINGS)
  if (text === null) {
    return no('ESME_RINVDCS', 'data_coding must be 0 (GSM-7), 1 (ASCII), 3 (Latin-1) or 8 (UCS-2)')
  }
  if (part && part.total > PARTS_MAX) {
    return no('ESME_RINVMSGLEN', `A message has at most ${PARTS_MAX} parts`)
  }
  const key = readTlv(OWN_TLVS, tlvs, 'idempotencyKey') ?? null
  if (key !== null && (key === '' || key.length > KEY_LENGTH_MAX)) {
    return no('ESME_RINVOPTPARAMVAL', `TLV 0x1501 must have 1 to ${KEY_LENGTH_MAX} characters`)
  }
  const from = readSender(pdu, system)
  if ('status' in from) return from
  const times = readTimes(pdu, now)
  if ('status' in times) return times
  const to = numberOf({
    ton: body.destAddrTon,
    npi: body.destAddrNpi,
    digits: body.destinationAddr,
  })
  return {
    input: {
      body: text,
      to,
      ...from,
      ...times,
      ...(system.campaignId !== null && { campaign: system.campaignId }),
    },
    sender: body.sourceAddr,
    part: part && part.total > 1 ? part : null,
    receipt: body.registeredDelivery & RECEIPT_BITS,
    reference: standardTlv(tlvs, 'userMessageReference') ?? null,
    key,
  }
}

function no(status: No['status'], sentence: string): No {
  return { status, sentence }
}

function readSender({ body }: SubmitPdu, system: SmppSystem): { from?: string } | No {
  const digits = body.sourceAddr
  if (digits === '') {
    if (system.number !== null) return { from: system.number }
    if (system.campaignId !== null) return {}
    return no(
      'ESME_RINVSRCADR',
      'source_addr must be one of your numbers: this system ID belongs to no single campaign',
    )
  }
  const from = numberOf({ ton: body.sourceAddrTon, npi: body.sourceAddrNpi, digits })
  if (system.number === null || from === system.number) return { from }
  return no('ESME_RINVSRCADR', `source_addr must be ${system.number} or empty`)
}

type Times = Pick<SendInput, 'scheduledAt' | 'validitySeconds'>

function readTimes(pdu: SubmitPdu, now: Date): Times | No {
  if (pdu.command === 'data_sm') {
    const seconds = standardTlv(pdu.tlvs, 'qosTimeToLive')
    return seconds === undefined ? {} : { validitySeconds: shortened(seconds) }
  }
  const { scheduleDeliveryTime, validityPeriod, replaceIfPresentFlag, smDefaultMsgId } = pdu.body
  if (replaceIfPresentFlag !== 0) {
    return no(
      'ESME_RINVREPFLAG',
      'replace_if_present_flag must be 0: cancel_sm takes a message back',
    )
  }
  if (smDefaultMsgId !== 0) return no('ESME_RINVDFTMSGID', 'There are no predefined messages')
  const schedule = scheduleDeliveryTime === '' ? null : readTime(scheduleDeliveryTime, now)
  if (scheduleDeliveryTime !== '' && schedule === null) {
    return no('ESME_RINVSCHED', 'schedule_delivery_time must look like 261224180000000+')
  }
  const expiry = validityPeriod === '' ? null : readTime(validityPeriod, schedule ?? now)
  if (validityPeriod !== '' && expiry === null) {
    return no('ESME_RINVEXPIRY', 'validity_period must look like 000000040000000R')
  }
  const seconds = expiry && Math.round((expiry.getTime() - (schedule ?? now).getTime()) / 1000)
  return {
    ...(schedule && { scheduledAt: schedule.toISOString() }),
    ...(seconds !== null && { validitySeconds: shortened(seconds) }),
  }
}

/** A longer validity than we support is shortened, as on every SMSC. The check refuses a time in the past. */
function shortened(seconds: number): number {
  return Math.min(seconds, VALIDITY_SECONDS_MAX)
}
