// The end of a campaign as JSON, with sentences for people.

import { type Static, Type } from 'typebox'
import { Noun, NullableString, NullableTimestamp, Timestamp } from '../kit/contract/schema.js'
import { formatDollars, toDollars } from '../kit/money.js'
import type { TerminationPreview } from './preview-termination.js'
import { isCleared, type Termination } from './termination.js'

const Sentences = Type.Array(Type.String(), { description: 'The same as sentences for people' })

export const PreviewShape = Noun('CampaignEndPreview', {
  campaignId: Type.String(),
  status: Type.String(),
  moveNumbersTo: NullableString,
  numbers: Type.Array(Type.String(), {
    description: 'The first 100 that would be released or moved',
  }),
  numberCount: Type.Integer(),
  messagesWaiting: Type.Integer({ description: 'Counted up to 10,000' }),
  hasMoreWaiting: Type.Boolean({ description: 'There are more than were counted' }),
  refund: Type.Number({ description: 'dollars: the price of the counted messages' }),
  renewsAt: NullableTimestamp,
  monthlyCost: Type.Number({ description: 'dollars per month that are no longer charged' }),
  sentences: Sentences,
})

export const TerminationShape = Noun('CampaignEnding', {
  endedAt: Timestamp,
  moveNumbersTo: NullableString,
  numbersReleased: Type.Integer(),
  numbersMoved: Type.Integer(),
  messagesCancelled: Type.Integer(),
  refunded: Type.Number({ description: 'dollars' }),
  isFinished: Type.Boolean({
    description: 'Whether the cleanup is finished. The rest continues automatically',
  }),
  sentences: Sentences,
})

export const PREVIEW_EXAMPLE = {
  campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
  status: 'ACTIVE',
  moveNumbersTo: null,
  numbers: ['+14155550123'],
  numberCount: 1,
  messagesWaiting: 2,
  hasMoreWaiting: false,
  refund: 0.0158,
  renewsAt: '2026-12-15T12:00:00.000Z',
  monthlyCost: 11,
  sentences: [
    'The campaign ends immediately and cannot be restored.',
    '1 number is released and can be bought by others. The price is not refunded.',
    '2 waiting messages are canceled, and $0.0158 is refunded. Messages that the carrier already has are not affected.',
    'The renewal of $11.00 on 2026-12-15 is not charged. Fees already paid are not refunded.',
  ],
}

export const TERMINATION_EXAMPLE = {
  endedAt: '2026-11-15T12:00:00.000Z',
  moveNumbersTo: null,
  numbersReleased: 1,
  numbersMoved: 0,
  messagesCancelled: 2,
  refunded: 0.0158,
  isFinished: false,
  sentences: [
    'The campaign has ended. It sends no messages, and nothing more is charged for it.',
    '1 number was released. 2 messages were canceled, and $0.0158 was refunded.',
    'Messages that the carrier already had are not affected. Any others are canceled automatically.',
  ],
}

export function wirePreview(preview: TerminationPreview): Static<typeof PreviewShape> {
  const { campaign } = preview
  return {
    campaignId: campaign.id,
    status: campaign.status,
    moveNumbersTo: preview.moveNumbersTo,
    numbers: preview.numbers,
    numberCount: preview.numberCount,
    messagesWaiting: preview.messagesWaiting,
    hasMoreWaiting: preview.isMoreWaiting,
    refund: toDollars(preview.refundMicros),
    renewsAt: campaign.renewsAt?.toISOString() ?? null,
    monthlyCost: toDollars(preview.monthlyMicros),
    sentences: previewSentences(preview),
  }
}

function previewSentences(preview: TerminationPreview): string[] {
  const { numberCount, moveNumbersTo, messagesWaiting, isMoreWaiting, refundMicros } = preview
  const numbers = count(numberCount, 'number', 'is', 'are')
  const messages = count(messagesWaiting, 'waiting message', 'is', 'are')
  const fate = moveNumbersTo
    ? `moved to ${moveNumbersTo}, along with this campaign's opt-outs. From then on, its renewals include the price.`
    : 'released and can be bought by others. The price is not refunded.'
  return [
    'The campaign ends immediately and cannot be restored.',
    ...(numberCount > 0 ? [`${numbers} ${fate}`] : []),
    ...(messagesWaiting > 0
      ? [
          `${isMoreWaiting ? 'More than ' : ''}${messages} canceled, and ${isMoreWaiting ? 'more than ' : ''}${formatDollars(refundMicros)} is refunded. Messages that the carrier already has are not affected.`,
        ]
      : []),
    moneySentence(preview),
  ]
}

function moneySentence({ campaign, monthlyMicros }: TerminationPreview): string {
  if (campaign.renewsAt === null) {
    return campaign.isFeePaid
      ? 'The creation fee is not refunded, and nothing more is charged.'
      : 'Nothing was charged for it, and nothing will be.'
  }
  const day = campaign.renewsAt.toISOString().slice(0, 10)
  return `The renewal of ${formatDollars(monthlyMicros)} on ${day} is not charged. Fees already paid are not refunded.`
}

export function wireTermination(termination: Termination): Static<typeof TerminationShape> {
  return {
    endedAt: termination.endedAt.toISOString(),
    moveNumbersTo: termination.moveNumbersTo,
    numbersReleased: termination.numbersReleased,
    numbersMoved: termination.numbersMoved,
    messagesCancelled: termination.messagesCancelled,
    refunded: toDollars(termination.refundedMicros),
    isFinished: isCleared(termination),
    sentences: describeTermination(termination),
  }
}

function describeTermination(termination: Termination): string[] {
  const { numbersReleased, numbersMoved, messagesCancelled, refundedMicros } = termination
  const done = [
    ...(numbersReleased > 0
      ? [`${count(numbersReleased, 'number', 'was', 'were')} released.`]
      : []),
    ...(numbersMoved > 0 ? [`${count(numbersMoved, 'number', 'was', 'were')} moved.`] : []),
    ...(messagesCancelled > 0
      ? [
          `${count(messagesCancelled, 'message', 'was', 'were')} canceled, and ${formatDollars(refundedMicros)} was refunded.`,
        ]
      : []),
  ]
  return [
    'The campaign has ended. It sends no messages, and nothing more is charged for it.',
    ...(done.length > 0 ? [done.join(' ')] : []),
    ...(isCleared(termination)
      ? []
      : [
          'Messages that the carrier already had are not affected. Any others are canceled automatically.',
        ]),
  ]
}

function count(many: number, noun: string, one: string, several: string): string {
  return many === 1 ? `1 ${noun} ${one}` : `${many} ${noun}s ${several}`
}
