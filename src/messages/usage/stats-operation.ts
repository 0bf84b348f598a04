// The statistics endpoint, as declared to the HTTP layer and to openapi.json.

import { type TInteger, Type } from 'typebox'
import { IsoTime } from '../../kit/contract/iso-time.js'
import { operation } from '../../kit/contract/operation.js'
import {
  IdText,
  Noun,
  NullableNumber,
  NullableTimestamp,
  Timestamp,
} from '../../kit/contract/schema.js'
import { STATUSES, type Status } from '../message-state.js'
import { SPLITS } from './stats.js'

/** The answer has a line for every bucket. */
export const DAYS_MAX = { hour: 31, day: 92 } as const
export const DAYS_DEFAULT = { hour: 1, day: 30 } as const

const COUNTS = {
  outbound: Type.Integer({ description: 'All that you sent, automatic replies included' }),
  inbound: Type.Integer(),
  statuses: Noun(
    'StatusCounts',
    Object.fromEntries(STATUSES.map((status) => [status, Type.Integer()])) as Record<
      Status,
      TInteger
    >,
  ),
}

const OUTCOME = {
  ...COUNTS,
  deliveryRate: {
    ...NullableNumber,
    description:
      'DELIVERED and READ ÷ (those, FAILED and EXPIRED): 0 to 1. What is still open is not in it; null where all is',
  },
  medianDeliveryMs: {
    ...NullableNumber,
    description:
      'From SENT to DELIVERED: half took no longer, give or take 3 %. Of what is DELIVERED now; null where nothing is',
  },
  errors: Type.Array(
    Noun('ErrorCount', {
      code: Type.Integer({ description: 'As in `GET /v1/error/list`' }),
      count: Type.Integer(),
    }),
    { description: 'Of FAILED and EXPIRED, the most frequent first' },
  ),
}

const KEY = Type.String({
  description:
    '`att` (AT&T), `tmo` (T-Mobile) or `other` (Verizon, and whoever else); or the id of a campaign',
})

export const StatsShape = Noun('MessageStats', {
  from: Timestamp,
  to: Timestamp,
  bucket: Type.Enum(['hour', 'day']),
  by: Type.Enum([...SPLITS]),
  total: Noun('MessageOutcome', OUTCOME),
  groups: Type.Array(Noun('MessageGroup', { key: KEY, ...OUTCOME }), {
    description: 'The total by carrier, or by campaign, the busiest first',
  }),
  buckets: Type.Array(
    Noun('MessageBucket', {
      start: Timestamp,
      ...COUNTS,
      groups: Type.Array(Noun('BucketGroup', { key: KEY, ...COUNTS }), {
        description: 'With `by=carrier`: those with messages in it',
      }),
    }),
    { description: 'Oldest first, empty ones included' },
  ),
  queue: Noun('QueueDepth', {
    waiting: Type.Integer({ description: 'Due now, and not yet taken up: for a limit, say' }),
    oldestDueAt: { ...NullableTimestamp, description: 'When the first of them was due' },
  }),
})

const EXAMPLE_COUNTS = {
  outbound: 1240,
  inbound: 90,
  statuses: {
    CREATED: 0,
    SCHEDULED: 0,
    QUEUED: 38,
    SENT: 21,
    DELIVERED: 1160,
    READ: 5,
    FAILED: 15,
    EXPIRED: 1,
  },
}

const EXAMPLE_OUTCOME = {
  ...EXAMPLE_COUNTS,
  deliveryRate: 0.986452,
  medianDeliveryMs: 1900,
  errors: [{ code: 1350, count: 16 }],
}

export const STATS = operation({
  id: 'getMessageStats',
  databaseClass: 'report',
  tag: 'Messages',
  summary: 'Counts of messages by hour or day, by status, carrier and campaign',
  description: `Of the messages created in the span, as they are now: a message counts where it was created, whenever it was delivered. Hours and days are UTC; for the days of another zone ask for hours and add them up. The first and the last bucket hold what is within the span. If the span begins or ends within an hour and that piece has more than 10,000 messages, the whole hour counts, and \`from\` or \`to\` of the answer says so. At most ${DAYS_MAX.hour} days by hour, ${DAYS_MAX.day} by day. \`queue\` is of this moment, whatever the span. A campaign's own hours: name it in \`campaign\`.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'query',
  query: Type.Object({
    bucket: Type.Optional(Type.Enum(['hour', 'day'], { default: 'hour' })),
    from: Type.Optional(
      IsoTime(
        `Created at or after. Default: ${DAYS_DEFAULT.hour * 24} hours (by hour) or ${DAYS_DEFAULT.day} days (by day) before \`to\``,
        { 'x-also': ['since', 'start', 'after'] },
      ),
    ),
    to: Type.Optional(
      IsoTime('Created before. Default: the end of the hour or day that it is now', {
        'x-also': ['until', 'end', 'before'],
      }),
    ),
    campaign: Type.Optional(IdText({ minLength: 1, description: 'Only this one’s messages' })),
    by: Type.Optional(
      Type.Enum([...SPLITS], {
        default: 'status',
        description:
          'How to split further than by status: `carrier` makes groups in the total and in each bucket, `campaign` in the total',
      }),
    ),
  }),
  reply: Type.Object({
    stats: StatsShape,
    now: { ...Timestamp, description: 'The time of the service' },
  }),
  example: {
    stats: {
      from: '2026-11-15T12:00:00.000Z',
      to: '2026-11-15T13:00:00.000Z',
      bucket: 'hour',
      by: 'carrier',
      total: EXAMPLE_OUTCOME,
      groups: [{ key: 'att', ...EXAMPLE_OUTCOME }],
      buckets: [
        {
          start: '2026-11-15T12:00:00.000Z',
          ...EXAMPLE_COUNTS,
          groups: [{ key: 'att', ...EXAMPLE_COUNTS }],
        },
      ],
      queue: { waiting: 38, oldestDueAt: '2026-11-15T12:30:26.000Z' },
    },
    now: '2026-11-15T12:30:30.000Z',
  },
  failure: { stats: null },
  refuses: ['campaign_missing'],
})
