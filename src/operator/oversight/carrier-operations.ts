// What the operator's endpoints of carrier links take, answer and refuse.

import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { Noun, NullableNumber, NullableString, Timestamp } from '../../kit/contract/schema.js'

const Connection = Noun('CarrierConnection', {
  name: Type.String(),
  state: Type.String(),
  since: Timestamp,
  peer: Type.String(),
})

const Process = Noun('CarrierLinkProcess', {
  process: Type.String(),
  isUp: Type.Boolean(),
  since: Timestamp,
  detail: NullableString,
  connections: Type.Array(Connection),
  window: Type.Union([Type.Object({ used: Type.Integer(), size: Type.Integer() }), Type.Null()], {
    description: 'Unanswered, of how many at most',
  }),
  rate: Type.Union(
    [Type.Object({ perSecond: Type.Number(), contract: Type.Number() }), Type.Null()],
    { description: 'Messages a second: now, and by contract' },
  ),
})

const Counts = Noun('CarrierLinkCounts', {
  minutes: Type.Integer(),
  answers: Type.Object({
    sent: Type.Integer(),
    slow_down: Type.Integer(),
    failed: Type.Integer(),
    down: Type.Integer(),
    unknown: Type.Integer({ description: 'No answer came' }),
  }),
  receipts: Type.Object({
    SENT: Type.Integer(),
    DELIVERED: Type.Integer(),
    READ: Type.Integer(),
    FAILED: Type.Integer(),
  }),
  inbound: Type.Integer(),
})

const LinkError = Noun('CarrierLinkError', {
  of: Type.Enum(['answer', 'receipt']),
  errorCode: NullableNumber,
  carrierCode: NullableString,
  count: Type.Integer(),
  lastAt: Timestamp,
})

/** Of one link, in a word. */
export const LinkStanding = Noun('CarrierLinkStanding', {
  link: Type.String(),
  kind: Type.String({ description: 'Such as `smpp` or `simulator`' }),
  state: Type.Enum(['up', 'partly', 'down'], { description: 'Partly: up for some processes' }),
  since: Timestamp,
  detail: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why it is down, or what limits it',
  }),
})

const Link = Type.Intersect(
  [
    LinkStanding,
    Type.Object({
      waiting: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'Messages that wait for it; null where there are several links',
      }),
      counts: Counts,
      errors: Type.Array(LinkError, { description: 'The last ten kinds, latest first' }),
      processes: Type.Array(Process),
    }),
  ],
  { title: 'CarrierLink' },
)

const PROCESS = 'longcode-1:4711:9f3a1c'
const AT = '2026-11-15T12:00:00.000Z'
const LINK_EXAMPLE = {
  link: 'aggregator',
  kind: 'smpp',
  state: 'up',
  since: AT,
  detail: null,
  waiting: 0,
  counts: {
    minutes: 15,
    answers: { sent: 118, slow_down: 0, failed: 2, down: 0, unknown: 0 },
    receipts: { SENT: 0, DELIVERED: 110, READ: 0, FAILED: 1 },
    inbound: 4,
  },
  errors: [{ of: 'answer', errorCode: 1350, carrierCode: 'ESME_RINVDSTADR', count: 2, lastAt: AT }],
  processes: [
    {
      process: PROCESS,
      isUp: true,
      since: AT,
      detail: null,
      connections: [{ name: '1', state: 'bound', since: AT, peer: 'smpp.example:3550' }],
      window: { used: 3, size: 10 },
      rate: { perSecond: 50, contract: 50 },
    },
  ],
}

export const LIST_CARRIERS = operation({
  id: 'operatorListCarriers',
  tag: 'Operator',
  summary: 'The carrier links: state, connections, window, rate, last errors',
  description:
    'As the processes with the role `dispatch` reported in the last seconds; where none runs, nothing is listed.',
  isExtension: true,
  scope: 'operator',
  reply: Type.Object({
    waiting: Type.Integer({ description: 'Messages that could go out now, by whichever link' }),
    unsettled: Type.Integer({
      description: 'Messages that left, and of which nobody knows yet whether the carrier has them',
    }),
    links: Type.Array(Link),
    processes: Type.Array(
      Noun('CarrierProcess', {
        process: Type.String(),
        loadedAt: Timestamp,
        reloadError: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: 'Why the last reload changed nothing',
        }),
      }),
    ),
  }),
  example: {
    waiting: 0,
    unsettled: 0,
    links: [LINK_EXAMPLE],
    processes: [{ process: PROCESS, loadedAt: AT, reloadError: null }],
  },
  failure: { links: [] },
})

export const RELOAD_CARRIERS = operation({
  id: 'operatorReloadCarriers',
  tag: 'Operator',
  summary: 'Read the file of carriers again, in every process that dispatches',
  description:
    'Drops no message. Answers when every process has, or after 10 s. A file that cannot be used changes nothing, and `error` says what is wrong.',
  isExtension: true,
  scope: 'operator',
  reply: Type.Object({
    success: Type.Literal(true),
    processes: Type.Array(
      Noun('CarrierReload', {
        process: Type.String(),
        outcome: Type.Enum(['reloaded', 'failed', 'waiting']),
        error: NullableString,
      }),
    ),
  }),
  example: {
    success: true,
    processes: [{ process: PROCESS, outcome: 'reloaded', error: null }],
  },
  failure: { success: false },
})
