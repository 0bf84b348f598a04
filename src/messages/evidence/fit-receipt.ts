// Whether a receipt with an unknown ID is about a message with an unknown outcome: by the reference that we sent
// with the message, else by time and text. Both are already between the same two numbers. Pure.

import type { ReceiptClue } from '../carrier-port.js'
import { referenceOf } from '../message-reference.js'
import { lastUnknownAt } from '../timeline.js'

/** A submitted message without a response. */
export interface UnprovenMessage {
  id: string
  body: string
  numSegments: number
  /** The link it was submitted to. Null: the process died, and the link is unknown. */
  unknownLink: string | null
  createdAt: Date
  timeline: readonly string[]
}

export interface CluedReceipt {
  link: string
  clue: ReceiptClue
  receivedAt: Date
}

export type Choice<Message> =
  | { message: Message; by: 'reference' | 'fields' }
  /** Several messages fit, and nothing tells them apart. */
  | { message: null; by: 'many' | 'none' }

/** Chooses the right one among the possible messages. */
export function chooseMessage<Message extends UnprovenMessage>(
  receipt: CluedReceipt,
  messages: readonly Message[],
): Choice<Message> {
  const { reference } = receipt.clue
  const possible = messages.filter((message) => mayBe(receipt, message))
  // A carrier that returns references tells messages apart by them, so another reference means another message.
  const fits = possible.map((message) => [message, fitOf(receipt, message)] as const)
  const alike = fits.filter(([, fit]) => fit === 'alike').map(([message]) => message)
  const left =
    alike.length > 0 ? alike : fits.flatMap(([one, fit]) => (fit === 'unclear' ? one : []))
  if (left.length === 1)
    return { message: left[0]!, by: reference === null ? 'fields' : 'reference' }
  return { message: null, by: left.length === 0 ? 'none' : 'many' }
}

/** Whether the receipt could be about this message, possibly among others. */
export function mayBeAbout(receipt: CluedReceipt, message: UnprovenMessage): boolean {
  return mayBe(receipt, message) && fitOf(receipt, message) !== 'other'
}

function mayBe({ link, clue }: CluedReceipt, { id, unknownLink }: UnprovenMessage): boolean {
  if (unknownLink !== null && unknownLink !== link) return false
  return clue.reference === null || clue.reference === referenceOf(id)
}

type Fit = 'alike' | 'unclear' | 'other'

function fitOf(receipt: CluedReceipt, message: UnprovenMessage): Fit {
  // A reference has 16 bits, so two messages between the same numbers can share one. A clearly different text is
  // another message, and a wrong match would charge for a message that never arrived.
  if (receipt.clue.reference !== null) {
    const isOther = textFit(receipt.clue.bodyStart, message) === 'other'
    return cameAfter(receipt, message) && !isOther ? 'alike' : 'other'
  }
  return fitsTime(receipt, message) ? textFit(receipt.clue.bodyStart, message) : 'other'
}

/** Times in receipts have minute precision, and clocks differ. */
const TOLERANCE_MS = 5 * 60_000

function cameAfter({ receivedAt }: CluedReceipt, { createdAt }: UnprovenMessage): boolean {
  return receivedAt.getTime() >= createdAt.getTime() - TOLERANCE_MS
}

/**
 * The carrier got it between the send and the time when its outcome became unknown. Measured by the carrier's
 * clock, or, if its time zone is unknown, by how long before completion it was submitted.
 */
function fitsTime(receipt: CluedReceipt, message: UnprovenMessage): boolean {
  if (!cameAfter(receipt, message)) return false
  const { submittedAt, doneAt } = receipt.clue
  if (submittedAt === null) return true
  const from = message.createdAt.getTime() - TOLERANCE_MS
  const until = (lastUnknownAt(message.timeline) ?? receipt.receivedAt).getTime() + TOLERANCE_MS
  const isWithin = (ms: number) => ms >= from && ms <= until
  if (isWithin(submittedAt.getTime())) return true
  if (doneAt === null || doneAt < submittedAt) return false
  const tookMs = doneAt.getTime() - submittedAt.getTime()
  return isWithin(receipt.receivedAt.getTime() - tookMs)
}

/** The part of a text that carriers quote. */
const QUOTED_CHARS = 20
/** Fewer characters do not show which part of a long text they are from. */
const TELLING_CHARS = 8

function textFit(bodyStart: string | null, { body, numSegments }: UnprovenMessage): Fit {
  const quoted = lettersOf(bodyStart ?? '')
  if (quoted === '') return 'unclear'
  if (quoted === lettersOf(body.slice(0, QUOTED_CHARS))) return 'alike'
  const whole = lettersOf(body)
  const isCut = (bodyStart ?? '').length >= QUOTED_CHARS
  if (isCut && whole.startsWith(quoted)) return 'alike'
  // In a long message, each part has its own receipt, which quotes that part.
  if (numSegments > 1 && quoted.length >= TELLING_CHARS && whole.includes(quoted)) return 'alike'
  if (numSegments > 1 && !isCut && whole.endsWith(quoted)) return 'unclear'
  // Carriers replace characters outside their alphabet in many ways.
  return isPlain(body) ? 'other' : 'unclear'
}

/** Carriers change case, spaces, and punctuation. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

function isPlain(text: string): boolean {
  return /^[\n\r\x20-\x7e]*$/.test(text)
}
