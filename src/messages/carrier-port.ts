// What the messages room needs of a carrier link. The links in carriers/ implement it; this room
// never knows which one it talks to.

import type { AccountId } from '../accounts/account.js'
import type { MessageType } from './message.js'

/** The networks whose limits a campaign has to keep. Null: another, or not known. */
export type Network = 'att' | 'tmo' | 'vzw'

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
}

export type SubmitAnswer =
  | { kind: 'sent' }
  /** Not taken: tried again later, when the carrier says if it says. */
  | { kind: 'slow_down'; retryAfterMs?: number }
  | { kind: 'failed'; errorCode: number }
  /** The link is gone and no byte of it has left: no attempt is spent, and it goes out when the link is back. */
  | { kind: 'down' }
  /** An answer that makes no sense, or none: tried again. The detail is for the log. */
  | { kind: 'unclear'; detail: string }

export interface Receipt {
  accountId: AccountId
  messageId: string
  status: 'DELIVERED' | 'READ' | 'FAILED'
  errorCode: number | null
}

export interface InboundPart {
  /** The same for all parts of one long message from one phone. */
  reference: number
  total: number
  sequence: number
}

export interface Inbound {
  from: string
  to: string
  body: string
  mediaUrls: readonly string[]
  part: InboundPart | null
}

/** Each resolves when what it was given is durable: only then may the carrier be answered. */
export interface CarrierListener {
  receipt: (receipt: Receipt) => Promise<void>
  inbound: (inbound: Inbound) => Promise<{ messageId: string | null }>
}

export interface Carrier {
  name: string
  /** No link is set up at all: sends are refused, not kept waiting for nobody. */
  isAbsent?: boolean
  /** What it reports never happened: whoever reads of it must see that. */
  isSimulated?: boolean
  networkOf: (to: string) => Network | null
  /** Whether messages can go out at this moment: while not, none is handed over. Absent: always. */
  isUp?: () => boolean
  /** Answers for every submission, in order. Never rejects. */
  submit: (submissions: readonly Submission[]) => Promise<SubmitAnswer[]>
  start: (listener: CarrierListener) => Promise<void>
  stop: () => Promise<void>
}
