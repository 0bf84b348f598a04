// What the messages room needs of a carrier link. The links in carriers/ implement it; this room
// never knows which one it talks to.

import type { AccountId } from '../accounts/account.js'
import type { HostedNumber } from '../numbers/number.js'
import type { KeywordName } from '../text/keywords.js'
import type { CallbackReply, CallbackRequest, MediaAccess, MediaTerms } from './carrier-http.js'
import type { MessageType } from './message.js'

/** The networks whose limits a campaign has to keep. Null: another, or not known. */
export type Network = 'att' | 'tmo' | 'vzw'

/** What a carrier says of a phone. Absent: it does not say. */
export interface PhoneFacts {
  network?: Network | null
  isLandline?: boolean
}

export interface Submission {
  accountId: AccountId
  messageId: string
  campaignId: string
  type: MessageType
  from: string
  to: string
  body: string
  mediaUrls: readonly string[]
  /** 1 for the first attempt. */
  attempt: number
  /** When it is no longer worth delivering: the carrier is told. */
  expiresAt: Date
  /** What has not begun to leave by then stays here: its validity or its day is over. Absent: any time. */
  submitBy?: Date | null
  /**
   * A link asks for this when there is room on the wire for the message, right before its first byte. Only then is
   * the message counted toward its carrier limit and written to the submit journal. Null: it must not leave, and the
   * link answers `window_missed`. Absent: it may leave (tests and tools that send without the service).
   */
  requestPermit?: (link: string) => Promise<SendPermit | null>
}

/** The first byte must leave by then, by the service's clock: the message was counted in that second. */
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
  /** Not taken: tried again later, when the carrier says if it says. */
  | { kind: 'slow_down'; retryAfterMs?: number }
  /**
   * `carrierCode`: the carrier's own word for it, kept in the timeline. `isOptedOut`: it lets nothing through to
   * this phone any more, because the phone asked for that: we record it, too.
   */
  | Failed
  /**
   * No link for it is up and no byte of it has left: no attempt is spent, and it goes out when one is back.
   * `isElsewhereUp`: others can go out meanwhile, by other links. `retryAfterMs`: when it is worth another look.
   */
  | { kind: 'down'; isElsewhereUp?: boolean; retryAfterMs?: number }
  /** It had no permit to leave, or its time passed before its first byte: no attempt is spent. */
  | { kind: 'window_missed' }
  | Unknown

export interface Failed {
  kind: 'failed'
  errorCode: number
  carrierCode?: string
  isOptedOut?: boolean
  /**
   * What the refusal is about where it is neither the recipient nor the text: the number that it is from, or what
   * the link does with every message. The carrier has no part of such a message. Absent: this message alone.
   */
  concerns?: 'sender' | 'link'
}

export interface Sent {
  kind: 'sent'
  /** Which link took it, where receipts name the message by the carrier's ids. */
  link?: string
  /** One for each part, in order. Absent: receipts of this link name the message by our id. */
  carrierIds?: readonly string[]
  /** Where the answer says it. */
  network?: Network | null
}

/**
 * The bytes left, or some of them, and no answer came. Never repeated blindly: a receipt, a late answer or
 * a query settles it, else the link's setting does (`afterUnknown`). The detail is for log and timeline.
 */
export interface Unknown {
  kind: 'unknown'
  detail: string
  link?: string
}

/** Which message a receipt or late answer is about. */
type MessageName =
  | { accountId: AccountId; messageId: string }
  /** Every spelling under which the submit may have been answered, the likeliest first. */
  | { carrierIds: readonly string[] }

/** What a receipt says about its message besides an id. Null: it does not say. */
export interface ReceiptClue {
  /** Ours, in E.164. Some carriers swap the two. */
  number: string
  peer: string
  /** By the carrier's clock, often to the minute. */
  submittedAt: Date | null
  doneAt: Date | null
  /** How the text begins: up to 20 characters, of a long message those of one part. */
  bodyStart: string | null
  /** The reference that we sent with the message (`referenceOf`). */
  reference: number | null
}

export interface Receipt {
  link: string
  of: MessageName
  /** Worked out only for a receipt whose id no response gave us: most are found by it. Null: it says nothing. */
  clue?: () => ReceiptClue | null
  /** SENT: taken, and nothing more is known; it settles an outcome that was unknown. */
  status: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED'
  errorCode: number | null
  carrierCode?: string | null
  /** Of SENT: nobody will ever say whether it arrived. */
  isUnconfirmed?: boolean
  /** Of FAILED, as in an answer. */
  isOptedOut?: boolean
  /** The carrier's id of a message that is named by ours: remembered where no response gave it to us. */
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
   * The carrier's own id, or a fingerprint where it gives none; null where a repeat cannot be told. What came
   * before by this link under the same id changes nothing and answers nothing again.
   */
  carrierId: string | null
  /**
   * Given with a fingerprint: the connection by which it came. Phones may say the same thing twice, so it is
   * a repeat only when it comes again by another connection, soon after, or where we have asked for it again.
   */
  connection?: string
  from: string
  to: string
  body: string
  mediaUrls: readonly string[]
  part: InboundPart | null
  /** The sender's, where the carrier says it. */
  network?: Network | null
  /** The carrier took it for this word, acts on it by itself and has answered the phone: we do not answer again. */
  handledAs?: KeywordName | null
}

/** What the link answered for a message after it had said `unknown`. */
export interface LateAnswer {
  accountId: AccountId
  messageId: string
  answer: Extract<SubmitAnswer, { kind: 'sent' | 'slow_down' | 'failed' }>
}

/** Each resolves when what it was given is durable: only then may the carrier be answered. */
export interface CarrierListener {
  receipt: (receipt: Receipt) => Promise<void>
  inbound: (inbound: Inbound) => Promise<{ messageId: string | null }>
  lateAnswer: (late: LateAnswer) => Promise<void>
  /** What became known of a phone by the way. Kept in time, and lost where that fails. */
  learned?: (number: string, facts: PhoneFacts) => void
  /** A receipt shows that the carrier refuses this number as a sender. Written down in time. */
  senderRefused?: (number: string, carrierCode: string | null) => void
  /** A brand or a campaign that is registered there has news: noted when it resolves. */
  registered?: (record: { accountId: AccountId; recordId: string }) => Promise<void>
}

/** What to do with an outcome that nobody knows. */
export interface UnknownPolicy extends SilencePolicy {
  /** How long a receipt or a late answer is waited for. */
  waitMs: number
}

/** What to do where no evidence comes. */
export interface SilencePolicy {
  /**
   * Whether it may be sent again then, at the risk of a second text. Only where the link's receipts usually arrive,
   * so that none means something.
   */
  mayRepeat: boolean
  /** The same by the use case of the campaign; what is missing follows `mayRepeat`. */
  mayRepeatByUsecase?: Readonly<Record<string, boolean>>
}

/**
 * The messages at a carrier that a submission may be: between its numbers, since it was accepted, and with its text
 * where the list has texts. Those whose id another message has are not it.
 */
export interface Listed {
  kind: 'listed'
  link: string
  carrierIds: readonly string[]
  /** Texts that are so much like the message's that the carrier may have changed it. */
  similarIds: readonly string[]
  /** Nothing can be missing from the list: if the message is not in it, the carrier does not have it. */
  isComplete: boolean
  /** Those in it have the message's text. */
  hasTexts: boolean
}

export interface LinkStatus {
  link: string
  /** Such as `smpp` or `simulator`. */
  kind: string
  isUp: boolean
  /** It sends nothing until it is resumed. Absent: it cannot be paused. */
  isPaused?: boolean
  /** Since when it is up or down. */
  since: Date
  /** Why it is down, or what limits it now; null where there is nothing to say. */
  detail: string | null
  connections: readonly { name: string; state: string; since: Date; peer: string }[]
  /** Submitted and unanswered, of how many at most; null where the link has no such limit. */
  window: { used: number; size: number } | null
  /** Messages a second: now, and by contract; null where the link has no such limit. */
  rate: { perSecond: number; contract: number } | null
}

/** The error is one plain sentence, with the line where one is wrong. What was in force before stays so. */
export type Reloaded = { ok: true } | { ok: false; error: string }

// A carrier is a set of small ports, one for each role. Code that needs one role takes that port alone.

export interface CarrierIdentity {
  name: string
  /** No link is set up at all: sends are refused, not kept waiting for nobody. */
  isAbsent?: boolean
  /** What it reports never happened: readers must see that. Sent twice, it is sent once. */
  isSimulated?: boolean
}

/** Submits messages. */
export interface SubmitPort {
  /** Answers for every submission, in order. Never rejects. */
  submit: (submissions: readonly Submission[]) => Promise<SubmitAnswer[]>
  /** Whether messages can go out at this moment: while not, none is handed over. Absent: always. */
  isUp?: () => boolean
  /**
   * How many messages of a group may be handed over and unanswered at once: about what can be on its way. The rest
   * waits where lanes take turns. Absent: any number.
   */
  capacityOf?: (group: string) => number
  /**
   * What links for this message take of media, the least of them: they fetch it by addresses of ours, of files that
   * fit. Null: its addresses are handed on as they were given.
   */
  mediaTerms?: (
    message: Pick<Submission, 'from' | 'to' | 'campaignId' | 'type'>,
  ) => MediaTerms | null
}

/** Knows phones and numbers: which link carries a message, and whether it may go out at all. */
export interface RoutePort {
  networkOf: (to: string) => Network | null
  /** Whether it is known to be a landline: nothing is handed over for one. Absent: nobody knows. */
  isLandline?: (to: string) => boolean
  /** Asks the carrier what it knows of a phone, for money. Null: it did not say. Never rejects. */
  lookUp?: (number: string) => Promise<PhoneFacts | null>
  /**
   * What goes by one link now, by its name: those who hand over put messages of one group into one batch, so that
   * a link that takes its time keeps nobody waiting but its own. Absent: all are one group.
   */
  groupOf?: (submission: Pick<Submission, 'from' | 'to' | 'campaignId' | 'type'>) => string
  /** Finds out who hosts a number, before `groupOf` is asked. Null: that is known. Never rejects. */
  prepare?: (from: string) => Promise<unknown> | null
  /** Whether a link that carries the campaign hosts the number. Absent: every link sends from every number. */
  canSend?: (number: HostedNumber, campaignId: string) => boolean
  /** The links that a message may go by, the best first, whether they are up or not. Absent: it has no names. */
  linksFor?: (message: Pick<Submission, 'from' | 'to' | 'campaignId' | 'type'>) => readonly string[]
  /** Whether numbers come from a provider: what is sent from one that is PENDING waits. Absent: never. */
  rentsNumbers?: () => boolean
}

/** Brings receipts, through the listener of `start`. */
export interface ReceiptPort {
  /** How many receipts a message with this text brings, one for each part. Absent: one. */
  receiptsOf?: (link: string, body: string) => number
}

/** Receives what carriers send over HTTP, and the files of inbound messages. */
export interface InboundPort {
  /** Answers what a carrier calls over HTTP; null where no link of that name takes calls. */
  callback?: (link: string, request: CallbackRequest) => Promise<CallbackReply | null>
  /** For a file of an inbound message that lies on the carrier's own host; null: it is anybody's. */
  mediaAccess?: (link: string, url: string) => MediaAccess | null
}

/** Settles outcomes that are unknown. */
export interface QueryPort {
  /**
   * Asks the carrier what became of a message whose outcome is unknown, which was accepted by us at the given time.
   * Null: it cannot tell. Never rejects.
   */
  query?: (
    submission: Submission,
    link: string | null,
    acceptedAt: Date,
  ) => Promise<SubmitAnswer | Listed | null>
  /** Absent: waits two minutes and does not repeat. Null: the link is not known any more. */
  afterUnknown?: (link: string | null) => UnknownPolicy
}

/** Starts, stops, and reports how its links are. */
export interface LifecyclePort {
  start: (listener: CarrierListener) => Promise<void>
  stop: () => Promise<void>
  /** How its links stand. Absent: there is nothing to tell. */
  links?: () => LinkStatus[]
  /** Reads its settings again, and drops no message. Absent: it has none that could change. Never rejects. */
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
