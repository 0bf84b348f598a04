// The statistics endpoint, as declared to the HTTP layer and openapi.json.

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

/** The response has a line for every bucket. */
export const DAYS_MAX = { hour: 31, day: 92 } as const
export const DAYS_DEFAULT = { hour: 1, day: 30 } as const

const COUNTS = {
  outbound: Type.Integer({ description: 'All sent messages, including automatic replies' }),
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
      '(DELIVERED + READ) ÷ (DELIVERED + READ + FAILED + EXPIRED), from 0 to 1. Messages in progress do not count. null if no message has finished',
  },
  medianDeliveryMs: {
    ...NullableNumber,
    description:
      'Median time from SENT to DELIVERED, within 3%, of messages that are DELIVERED now. null if there are none',
  },
  errors: Type.Array(
    Noun('ErrorCount', {
      code: Type.Integer({ description: 'As in `GET /v1/error/list`' }),
      count: Type.Integer(),
    }),
    { description: 'Error codes of FAILED and EXPIRED messages, most frequent first' },
  ),
}

const KEY = Type.String({
  description:
    '`att` (AT&T), `tmo` (T-Mobile), or `other` (Verizon and all others), or the ID of a campaign',
})

export const StatsShape = Noun('MessageStats', {
  from: Timestamp,
  to: Timestamp,
  bucket: Type.Enum(['hour', 'day']),
  by: Type.Enum([...SPLITS]),
  total: Noun('MessageOutcome', OUTCOME),
  groups: Type.Array(Noun('MessageGroup', { key: KEY, ...OUTCOME }), {
    description: 'The total by carrier or by campaign, busiest first',
  }),
  buckets: Type.Array(
    Noun('MessageBucket', {
      start: Timestamp,
      ...COUNTS,
      groups: Type.Array(Noun('BucketGroup', { key: KEY, ...COUNTS }), {
        description: 'With `by=carrier`: the carriers with messages in this bucket',
      }),
    }),
    { description: 'Oldest first, including empty ones' },
  ),
  queue: Noun('QueueDepth', {
    waiting: Type.Integer({
      description: 'Due now and not sent yet, for example because of a limit',
    }),
    oldestDueAt: { ...NullableTimestamp, description: 'When the oldest of them was due' },
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
  summary: 'Count messages by hour or day, by status, carrier, and campaign',
  description: `Messages are counted in the hour or day they were created, under their current status. Hours and days are UTC. For days in another time zone, request hours and add them up. The first and last buckets cover only the requested time. If the time starts or ends within an hour and that part has more than 10,000 messages, the whole hour is counted, and \`from\` or \`to\` of the response shows it. At most ${DAYS_MAX.hour} days by hour or ${DAYS_MAX.day} days by day. \`queue\` is always current. For the hours of one campaign, set \`campaign\`.`,
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
      IsoTime('Created before. Default: the end of the current hour or day', {
        'x-also': ['until', 'end', 'before'],
      }),
    ),
    campaign: Type.Optional(
      IdText({ minLength: 1, description: 'Only messages of this campaign' }),
    ),
    by: Type.Optional(
      Type.Enum([...SPLITS], {
        default: 'status',
        description:
          'Additional grouping: `carrier` adds groups to the total and each bucket, `campaign` adds groups to the total',
      }),
    ),
  }),
  reply: Type.Object({
    stats: StatsShape,
    now: { ...Timestamp, description: 'The current time of the service' },
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
