// Composes the submit_sm of a message for one carrier: in its alphabets, with its method for long texts and its
// number format, and with the TLVs that the contract requires. Pure.

import type { Submission, SubmitAnswer } from '../../messages/carrier-port.js'
import { referenceOf } from '../../messages/message-reference.js'
import { addressOf, INTERNATIONAL } from '../../smpp/address.js'
import type { BodyOf } from '../../smpp/pdu/pdu.js'
import { makeStandardTlv, STANDARD_TLVS, type Tlv } from '../../smpp/pdu/tlv.js'
import { chooseCoding } from '../../smpp/text/data-coding.js'
import { type MessagePart, splitMessage } from '../../smpp/text/split-message.js'
import { absoluteTime, relativeTime } from '../../smpp/time.js'
import type { CampaignTlv, NumberStyle, SmppLinkSettings } from './smpp-settings.js'
import { writeTlvValue } from './tlv-values.js'

export interface SubmitPart {
  fields: Partial<BodyOf<'submit_sm'>>
  tlvs: readonly Tlv[]
}

type Failed = Extract<SubmitAnswer, { kind: 'failed' }>

type Composed = { parts: SubmitPart[]; failed: null } | { parts: null; failed: Failed }

const NATIONAL = 2
const WITH_RECEIPT = 1
const REFUSED = 1375
const MEDIA_REFUSED = 1392
const REFERENCE_TAG = STANDARD_TLVS.userMessageReference.tag

/** One per link, so whatever is the same for all its messages is computed once. */
export type SubmitComposer = (submission: Submission, nowMs: number) => Composed

export function createComposer(settings: SmppLinkSettings): SubmitComposer {
  const { codings, longStyle } = settings
  const fixedTlvs = settings.fixedTlvs.map(({ tag, format, value }) => ({
    tag,
    value: writeTlvValue(format, value),
  }))
  // Each tag is sent once. A tag that the settings send keeps their value.
  const hasReference =
    settings.messageReference &&
    settings.campaignTlv?.tag !== REFERENCE_TAG &&
    !fixedTlvs.some(({ tag }) => tag === REFERENCE_TAG)
  const withReference = (tlvs: readonly Tlv[], reference: number) =>
    hasReference ? [...tlvs, makeStandardTlv('userMessageReference', reference)] : tlvs
  return (submission, nowMs) => {
    if (submission.mediaUrls.length > 0) return failed(MEDIA_REFUSED, 'SMPP carries no media')
    const coding = chooseCoding(submission.body, codings)
    if (!coding) return failed(REFUSED, 'The link has no alphabet for this text')
    try {
      const reference = referenceOf(submission.id)
      const parts = splitMessage(submission.body, coding, longStyle, reference)
      const shared = sharedFields(submission, settings, nowMs)
      const tlvs = withReference(tlvsOf(submission, settings.campaignTlv, fixedTlvs), reference)
      return {
        parts: parts.map((part, i) => {
          const isLast = i === parts.length - 1
          return submitOf(part, shared, tlvs, wantsReceipt(settings, isLast))
        }),
        failed: null,
      }
    } catch (error) {
      return failed(REFUSED, `It cannot be written: ${(error as Error).message}`)
    }
  }
}

/** How many receipts a text produces. */
export function countReceipts(
  body: string,
  { codings, longStyle, registeredDelivery }: SmppLinkSettings,
): number {
  const coding = chooseCoding(body, codings)
  if (!coding || registeredDelivery !== 'all') return 1
  return splitMessage(body, coding, longStyle, 0).length
}

function failed(errorCode: number, carrierCode: string): Composed {
  return { parts: null, failed: { kind: 'failed', errorCode, carrierCode } }
}

function submitOf(
  { esmClass, dataCoding, shortMessage, tlvs: own }: MessagePart,
  shared: SharedFields,
  tlvs: readonly Tlv[],
  registeredDelivery: number,
): SubmitPart {
  return {
    // Written out, because spreading costs more than the rest of a message together.
    fields: {
      serviceType: shared.serviceType,
      sourceAddrTon: shared.sourceAddrTon,
      sourceAddrNpi: shared.sourceAddrNpi,
      sourceAddr: shared.sourceAddr,
      destAddrTon: shared.destAddrTon,
      destAddrNpi: shared.destAddrNpi,
      destinationAddr: shared.destinationAddr,
      validityPeriod: shared.validityPeriod,
      esmClass,
      dataCoding,
      shortMessage,
      registeredDelivery,
    },
    tlvs: own.length === 0 ? tlvs : [...own, ...tlvs],
  }
}

type SharedFields = Pick<
  BodyOf<'submit_sm'>,
  | 'serviceType'
  | 'sourceAddrTon'
  | 'sourceAddrNpi'
  | 'sourceAddr'
  | 'destAddrTon'
  | 'destAddrNpi'
  | 'destinationAddr'
  | 'validityPeriod'
>

function sharedFields(
  { from, to, expiresAt }: Submission,
  { source, destination, serviceType, validity }: SmppLinkSettings,
  nowMs: number,
): SharedFields {
  const sourceAddress = styled(from, source)
  const destinationAddress = styled(to, destination)
  return {
    serviceType,
    sourceAddrTon: sourceAddress.ton,
    sourceAddrNpi: sourceAddress.npi,
    sourceAddr: sourceAddress.digits,
    destAddrTon: destinationAddress.ton,
    destAddrNpi: destinationAddress.npi,
    destinationAddr: destinationAddress.digits,
    validityPeriod: validityOf(expiresAt, validity, nowMs),
  }
}

/** Short codes and names have no country, and so only one form. */
function styled(number: string, { ton, npi, format }: NumberStyle) {
  const usual = addressOf(number)
  const isNational =
    format === 'national' && usual.ton === INTERNATIONAL && /^1\d{10}$/.test(usual.digits)
  return {
    ton: ton ?? (isNational ? NATIONAL : usual.ton),
    npi: npi ?? usual.npi,
    digits: isNational ? usual.digits.slice(1) : withPlus(usual.digits, usual.ton, format),
  }
}

function withPlus(digits: string, ton: number, format: NumberStyle['format']): string {
  return format === 'plus' && ton === INTERNATIONAL ? `+${digits}` : digits
}

function validityOf(
  expiresAt: Date,
  validity: SmppLinkSettings['validity'],
  nowMs: number,
): string {
  if (validity === 'none') return ''
  if (validity === 'absolute') return absoluteTime(expiresAt)
  return relativeTime((expiresAt.getTime() - nowMs) / 1_000)
}

function wantsReceipt({ registeredDelivery }: SmppLinkSettings, isLast: boolean): number {
  if (registeredDelivery === 'none') return 0
  return registeredDelivery === 'all' || isLast ? WITH_RECEIPT : 0
}

function tlvsOf(
  submission: Submission,
  campaign: CampaignTlv | null,
  fixed: readonly Tlv[],
): readonly Tlv[] {
  if (!campaign) return fixed
  const { tag, value, format, names } = campaign
  const ids = {
    campaign: submission.campaignId,
    account: submission.accountId,
    message: submission.id,
  }
  const id = ids[value]
  return [{ tag, value: writeTlvValue(format, names.get(id) ?? id) }, ...fixed]
}
