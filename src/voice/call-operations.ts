// What the endpoint for the calls of a number takes, answers and refuses.

import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import { Noun, Timestamp } from '../kit/contract/schema.js'
import { NumberParams } from '../numbers/number-operations.js'
import { E164 } from '../text/number-schema.js'

const DAYS_MAX = 90

const COUNTS = {
  redirected: Type.Integer({ description: 'Calls sent on to the forwardNumber' }),
  refused: Type.Integer({ description: 'Calls that were not: no forwarding, or a loop' }),
}

export const CALLS = operation({
  id: 'getNumberCalls',
  tag: 'Numbers',
  summary: 'How often a number was called, by day',
  description: `Days are UTC, newest first; one without calls is left out. A number that you have released keeps the counts of your time. Counted within seconds, kept for 400 days.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'number',
  params: NumberParams,
  query: Type.Object({
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DAYS_MAX,
        default: 30,
        description: 'How many, today included',
        'x-expects': `must be a whole number from 1 to ${DAYS_MAX}`,
      }),
    ),
  }),
  reply: Type.Object({
    phoneNumber: E164(),
    ...COUNTS,
    lastCallAt: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Of all that is kept; null: no call',
    }),
    days: Type.Array(
      Noun('DayOfCalls', {
        day: Type.String({ format: 'date' }),
        ...COUNTS,
        lastCallAt: Timestamp,
      }),
    ),
  }),
  example: {
    phoneNumber: '+14155550123',
    redirected: 12,
    refused: 1,
    lastCallAt: '2026-11-15T12:00:00.000Z',
    days: [
      { day: '2026-11-15', redirected: 12, refused: 1, lastCallAt: '2026-11-15T12:00:00.000Z' },
    ],
  },
  failure: { days: [] },
  refuses: ['number_missing'],
})
