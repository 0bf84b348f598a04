// Request, response, and errors of the endpoint for the calls of a number.

import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import { Noun, Timestamp } from '../kit/contract/schema.js'
import { NumberParams } from '../numbers/number-operations.js'
import { E164 } from '../text/number-schema.js'

const DAYS_MAX = 90

const COUNTS = {
  redirected: Type.Integer({ description: 'Calls redirected to the forwardNumber' }),
  refused: Type.Integer({ description: 'Calls not redirected: no forwarding, or a loop' }),
}

export const CALLS = operation({
  id: 'getNumberCalls',
  tag: 'Numbers',
  summary: 'Count the calls to a number, by day',
  description: `Days are in UTC, newest first. Days without calls are omitted. After you release a number, you still see the counts of your time. Counts are updated within seconds and kept for 400 days.`,
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
        description: 'Number of days, including today',
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
      description: 'Last call in the last 400 days; null: no call',
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
