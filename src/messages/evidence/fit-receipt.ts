// Whether a receipt whose id nobody knows is about a message whose outcome nobody knows: by the reference that we sent
// with the message, else by the time and the text. Both are between the same two numbers already. Pure.

import type { ReceiptClue } from '../carrier-port.js'
import { referenceOf } from '../message-reference.js'
import { lastUnknownAt } from '../timeline.js'

/** A message that was handed off, of which we have no response. */
export interface UnprovenMessage {
  id: string
  body: string
  numSegments: number
  /** By which it was handed off; null: the process died, and nobody knows. */
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
  /** Several fit, and nobody can tell which of them is meant. */
  | { message: null; by: 'many' | 'none' }

/** Of those that may be meant, the one that is. */
export function chooseMessage<Message extends UnprovenMessage>(
  receipt: CluedReceipt,
  messages: readonly Message[],
): Choice<Message> {
  const { reference } = receipt.clue
  const possible = messages.filter((message) => mayBe(receipt, message))
  // A carrier that returns references tells messages apart by them: one with another reference is not meant.
  const fits = possible.map((message) => [message, fitOf(receipt, message)] as const)
  const alike = fits.filter(([, fit]) => fit === 'alike').map(([message]) => message)
  const left =
    alike.length > 0 ? alike : fits.flatMap(([one, fit]) => (fit === 'unclear' ? one : []))
  if (left.length === 1)
    return { message: left[0]!, by: reference === null ? 'fields' : 'reference' }
  return { message: null, by: left.length === 0 ? 'none' : 'many' }
}

/** Whether the receipt could be about this message, alone or among others. */
export function mayBeAbout(receipt: CluedReceipt, message: UnprovenMessage): boolean {
  return mayBe(receipt, message) && fitOf(receipt, message) !== 'other'
}

function mayBe({ link, clue }: CluedReceipt, { id, unknownLink }: UnprovenMessage): boolean {
  if (unknownLink !== null && unknownLink !== link) return false
  return clue.reference === null || clue.reference === referenceOf(id)
}

type Fit = 'alike' | 'unclear' | 'other'

function fitOf(receipt: CluedReceipt, message: UnprovenMessage): Fit {
  // A reference has sixteen bits, so two messages between the same numbers can share one: a text that clearly differs
  // is another message's, and a wrong match would charge for a message that never arrived.
  if (receipt.clue.reference !== null) {
    const isOther = textFit(receipt.clue.bodyStart, message) === 'other'
    return cameAfter(receipt, message) && !isOther ? 'alike' : 'other'
  }
  return fitsTime(receipt, message) ? textFit(receipt.clue.bodyStart, message) : 'other'
}

/** Dates of receipts have minutes, and clocks differ. */
const TOLERANCE_MS = 5 * 60_000

function cameAfter({ receivedAt }: CluedReceipt, { createdAt }: UnprovenMessage): boolean {
  return receivedAt.getTime() >= createdAt.getTime() - TOLERANCE_MS
}

/**
 * The carrier got it between the send and the moment when its outcome was called unknown. By the carrier's clock, or,
 * where that is in a time zone that nobody has told us, by how long before its end it was submitted.
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

/** What carriers quote of a text. */
const QUOTED_CHARS = 20
/** Fewer say too little about where in a long text they are from. */
const TELLING_CHARS = 8

function textFit(bodyStart: string | null, { body, numSegments }: UnprovenMessage): Fit {
  const quoted = lettersOf(bodyStart ?? '')
  if (quoted === '') return 'unclear'
  if (quoted === lettersOf(body.slice(0, QUOTED_CHARS))) return 'alike'
  const whole = lettersOf(body)
  const isCut = (bodyStart ?? '').length >= QUOTED_CHARS
  if (isCut && whole.startsWith(quoted)) return 'alike'
  // Of a long message each part has its own receipt, which quotes that part.
  if (numSegments > 1 && quoted.length >= TELLING_CHARS && whole.includes(quoted)) return 'alike'
  // Carriers write what their alphabet does not have in many ways.
  return isPlain(body) ? 'other' : 'unclear'
}

/** Carriers change case, spaces and signs. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

function isPlain(text: string): boolean {
  return /^[\n\r\x20-\x7e]*$/.test(text)
}
