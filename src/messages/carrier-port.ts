// What the messages module needs from a carrier link. The links in carriers/ implement it. This module never knows
// which link it talks to.

import type { AccountId } from '../accounts/account.js'
import type { HostedNumber } from '../numbers/number.js'
import type { KeywordName } from '../text/keywords.js'
import type { CallbackReply, CallbackRequest, MediaAccess, MediaTerms } from './carrier-http.js'
import type { MessageKey, OutboundMessage } from './message.js'

/** The networks with per-campaign limits. Null: another network, or unknown. */
export type Network = 'att' | 'tmo' | 'vzw'

/** What a carrier reports about a phone. Absent: it does not report it. */
export interface PhoneFacts {
  network?: Network | null
  isLandline?: boolean
}

/** What decides which links may send a message. */
export type RoutedMessage = Pick<OutboundMessage, 'campaignId' | 'type' | 'from' | 'to'>

/** A message as a link gets it. */
export interface Submission extends OutboundMessage, MessageKey {
  /** 1 for the first attempt. */
  attempt: number
  /** When the message expires. The carrier gets this time, too. */
  expiresAt: Date
  /** The first byte must leave by then, or the message stays here (validity or day over). Absent: any time. */
  submitBy?: Date | null
  /**
   * A link requests this when there is room on the wire for the message, right before its first byte. Only then is
   * the message counted toward its carrier limit and written to the submit journal. Null: it must not leave, and
   * the link returns `window_missed`. Absent: it may leave (tests and tools that send without the service).
   */
  requestPermit?: (link: string) => Promise<SendPermit | null>
}

/** The first byte must leave by then, by the service's clock, because the message was counted in that second. */
export interface SendPermit {
  untilMs: number
}

const ALWAYS: SendPermit = { untilMs: Number.POSITIVE_INFINITY }

/** What every link awaits right before the first byte of a message. */
export async function permitFor(submission: Submission, link: string): Promise<SendPermit | null> {
  return submission.requestPermit ? submission.requestPermit(link) : ALWAYS
}

export type SubmitAnswer =
  | Sent
  /** Not accepted: retried later, at the carrier's time if it gives one. */
  | { kind: 'slow_down'; retryAfterMs?: number }
  /**
   * `carrierCode`: the carrier's own code, stored in the timeline. `isOptedOut`: the carrier blocks this phone
   * because it opted out there, so we record the opt-out, too.
   */
  | Failed
  /**
   * No link for the message is up, and no byte of it has left. No attempt is used, and it is sent when a link is
   * back. `isElsewhereUp`: other messages can leave by other links. `retryAfterMs`: when to check again.
   */
  | { kind: 'down'; isElsewhereUp?: boolean; retryAfterMs?: number }
  /** It had no permit to leave, or its time passed before its first byte. No attempt is used. */
  | { kind: 'window_missed' }
  | Unknown

export interface Failed {
  kind: 'failed'
  errorCode: number
  carrierCode?: string
  isOptedOut?: boolean
  /**
   * What the refusal is about if it is neither the recipient nor the text: the sending number, or how the link
   * sends every message. The carrier has no part of such a message. Absent: only this message.
   */
  concerns?: 'sender' | 'link'
}

export interface Sent {
  kind: 'sent'
  /** Which link accepted it, if receipts identify messages by the carrier's IDs. */
  link?: string
  /** One for each part, in order. Absent: receipts of this link identify the message by our ID. */
  carrierIds?: readonly string[]
  /** If the response contains it. */
  network?: Network | null
}

/**
 * Some or all bytes left, and no response came. Never sent again blindly: a receipt, a late response, or a query
 * settles it, else the link's setting does (`afterUnknown`). The detail is for the log and the timeline.
 */
export interface Unknown {
  kind: 'unknown'
  detail: string
  link?: string
}

/** Which message a receipt or late response is about. */
type MessageName =
  | MessageKey
  /** Every spelling that the submit response may have used, most likely first. */
  | { carrierIds: readonly string[] }

/** What a receipt contains besides an ID. Null: it does not contain it. */
export interface ReceiptClue {
  /** Ours, in E.164. Some carriers swap the two. */
  number: string
  peer: string
  /** By the carrier's clock, often to the minute. */
  submittedAt: Date | null
  doneAt: Date | null
  /** The start of the text: up to 20 characters, in a long message those of one part. */
  bodyStart: string | null
  /** The reference that we sent with the message (`referenceOf`). */
  reference: number | null
}

export const RECEIPT_STATUSES = ['SENT', 'DELIVERED', 'READ', 'FAILED'] as const

export interface Receipt {
  link: string
  of: MessageName
  /** Computed only for a receipt whose ID no response gave us, because most are found by their ID. Null: no clue. */
  clue?: () => ReceiptClue | null
  /** SENT: accepted, and nothing more is known. It settles an unknown outcome. */
  status: (typeof RECEIPT_STATUSES)[number]
  errorCode: number | null
  carrierCode?: string | null
  /** For SENT: the carrier will never report whether it arrived. */
  isUnconfirmed?: boolean
  /** For FAILED, as in a response. */
  isOptedOut?: boolean
  /** The carrier's ID for a message that the receipt identifies by our ID. Stored if no response gave it to us. */
  carrierId?: string
}

export interface InboundPart {
  /** The same for all parts of one long message from one phone. */
  reference: number
  total: number
  sequence: number
}

export interface Inbound {
  link: string
  /**
   * The carrier's own ID, or a fingerprint if it gives none. Null if repeats cannot be detected. A message that
   * this link already brought under the same ID is ignored.
   */
  carrierId: string | null
  /**
   * Given with a fingerprint: the connection that brought it. Phones may send the same text twice, so it is a
   * repeat only if it comes again by another connection soon after, or if we asked for a redelivery.
   */
  connection?: string
  from: string
  to: string
  body: string
  mediaUrls: readonly string[]
  part: InboundPart | null
  /** The sender's network, if the carrier reports it. */
  network?: Network | null
  /** The carrier treated it as this keyword and has replied to the phone. We do not reply again. */
  handledAs?: KeywordName | null
}

/** The link's response to a message after it had returned `unknown`. */
export interface LateAnswer extends MessageKey {
  answer: Extract<SubmitAnswer, { kind: 'sent' | 'slow_down' | 'failed' }>
}

/** Each resolves when its input is durable. Only then may the carrier get a response. */
export interface CarrierListener {
  receipt: (receipt: Receipt) => Promise<void>
  inbound: (inbound: Inbound) => Promise<{ messageId: string | null }>
  lateAnswer: (late: LateAnswer) => Promise<void>
  /** Information about a phone, learned along the way. Stored soon, and lost if that fails. */
  learned?: (number: string, facts: PhoneFacts) => void
  /** A receipt shows that the carrier refuses this number as a sender. Stored soon. */
  senderRefused?: (number: string, carrierCode: string | null) => void
  /** A brand or campaign that is registered there has changed. Recorded when it resolves. */
  registered?: (record: { accountId: AccountId; recordId: string }) => Promise<void>
}

/** What to do with an unknown outcome. */
export interface UnknownPolicy extends SilencePolicy {
  /** How long to wait for a receipt or a late response. */
  waitMs: number
}

/** What to do without evidence. */
export interface SilencePolicy {
  /**
   * Whether the message may then be sent again, at the risk of a duplicate. Only if the link's receipts usually
   * arrive, so a missing one means something.
   */
  mayRepeat: boolean
  /** The same by use case of the campaign. Missing use cases follow `mayRepeat`. */
  mayRepeatByUsecase?: Readonly<Record<string, boolean>>
}

/**
 * The messages at a carrier that may be the submission: between its numbers, since it was accepted, and with its
 * text if the list has texts. Messages whose ID belongs to another message are not it.
 */
export interface Listed {
  kind: 'listed'
  link: string
  carrierIds: readonly string[]
  /** Texts so similar to the message's that the carrier may have changed it. */
  similarIds: readonly string[]
  /** The list is complete: if the message is not in it, the carrier does not have it. */
  isComplete: boolean
  /** The listed messages have the message's text. */
  hasTexts: boolean
}

export interface LinkStatus {
  link: string
  /** For example `smpp` or `simulator`. */
  kind: string
  isUp: boolean
  /** It sends nothing until it is resumed. Absent: it cannot be paused. */
  isPaused?: boolean
  /** Since when it is up or down. */
  since: Date
  /** Why it is down, or what limits it now. Null if there is nothing to report. */
  detail: string | null
  connections: readonly { name: string; state: string; since: Date; peer: string }[]
  /** Submitted and unanswered messages, and the maximum. Null if the link has no such limit. */
  window: { used: number; size: number } | null
  /** Messages per second: now, and by contract. Null if the link has no such limit. */
  rate: { perSecond: number; contract: number } | null
}

/** The error is one plain sentence, with the line if a line is wrong. The previous settings stay in force. */
export type Reloaded = { ok: true } | { ok: false; error: string }

// A carrier is a set of small ports, one for each role. Code that needs one role takes that port alone.

export interface CarrierIdentity {
  name: string
  /** No link is set up at all. Sends are refused instead of waiting forever. */
  isAbsent?: boolean
  /** What it reports never happened: readers must see that. Sent twice, it is sent once. */
  isSimulated?: boolean
}

/** Submits messages. */
export interface SubmitPort {
  /** Returns a response for every submission, in order. Never rejects. */
  submit: (submissions: readonly Submission[]) => Promise<SubmitAnswer[]>
  /** Whether messages can be sent right now. If not, none is submitted. Absent: always. */
  isUp?: () => boolean
  /**
   * How many messages of a group may be submitted and unanswered at once: about as many as fit on the wire. The
   * rest waits where lanes take turns. Absent: any number.
   */
  capacityOf?: (group: string) => number
  /**
   * The smallest media limits of the links for this message: they fetch the files from our URLs. Null: the link
   * gets the URLs as they were given.
   */
  mediaTerms?: (message: RoutedMessage) => MediaTerms | null
}

/** Knows phones and numbers: which link carries a message, and whether it may go out at all. */
export interface RoutePort {
  networkOf: (to: string) => Network | null
  /** Whether it is known to be a landline. Nothing is submitted to a landline. Absent: unknown. */
  isLandline?: (to: string) => boolean
  /** Looks up a phone at the carrier, for a fee. Null: no result. Never rejects. */
  lookUp?: (number: string) => Promise<PhoneFacts | null>
  /**
   * Names the link that a message goes by now. Messages of one group are submitted in one batch, so a slow link
   * delays only its own messages. Absent: all are one group.
   */
  groupOf?: (submission: RoutedMessage) => string
  /** Finds out who hosts a number, before `groupOf` runs. Null: already known. Never rejects. */
  prepare?: (from: string) => Promise<unknown> | null
  /** Whether a link that carries the campaign hosts the number. Absent: every link sends from every number. */
  canSend?: (number: HostedNumber, campaignId: string) => boolean
  /** The links that a message may use, best first, up or down. Absent: links have no names. */
  linksFor?: (message: RoutedMessage) => readonly string[]
  /** Whether numbers come from a provider. Messages from a PENDING number wait. Absent: never. */
  sellsNumbers?: () => boolean
}

/** Brings receipts, through the listener of `start`. */
export interface ReceiptPort {
  /** How many receipts a message with this text gets, one for each part. Absent: one. */
  receiptsOf?: (link: string, body: string) => number
}

/** Receives what carriers send over HTTP, and the files of inbound messages. */
export interface InboundPort {
  /** Responds to a carrier's HTTP callback. Null if no link of that name accepts callbacks. */
  callback?: (link: string, request: CallbackRequest) => Promise<CallbackReply | null>
  /** For a file of an inbound message on the carrier's own host. Null: the file is public. */
  mediaAccess?: (link: string, url: string) => MediaAccess | null
}

/** Settles outcomes that are unknown. */
export interface QueryPort {
  /** Queries the outcome of a message accepted at the given time. Null: unknown to the carrier. Never rejects. */
  query?: (
    submission: Submission,
    link: string | null,
    acceptedAt: Date,
  ) => Promise<SubmitAnswer | Listed | null>
  /** Absent: waits two minutes and does not resend. Null: the link no longer exists. */
  afterUnknown?: (link: string | null) => UnknownPolicy
}

/** Starts, stops, and reports how its links are. */
export interface LifecyclePort {
  start: (listener: CarrierListener) => Promise<void>
  stop: () => Promise<void>
  /** The state of its links. Absent: nothing to report. */
  links?: () => LinkStatus[]
  /** Reads its settings again without dropping a message. Absent: it has no settings to reload. Never rejects. */
  reload?: () => Promise<Reloaded>
}

/** Everything that the messages room needs of a link, or of several behind one face. */
export interface Carrier
  extends CarrierIdentity,
    SubmitPort,
    RoutePort,
    ReceiptPort,
    InboundPort,
    QueryPort,
    LifecyclePort {}
