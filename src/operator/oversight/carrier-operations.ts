// Requests, responses, and errors of the operator's endpoints for carrier links.

import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import {
  Noun,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  Timestamp,
} from '../../kit/contract/schema.js'

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
    description: 'Outstanding submits, and their maximum',
  }),
  rate: Type.Union(
    [Type.Object({ perSecond: Type.Number(), contract: Type.Number() }), Type.Null()],
    { description: 'Messages per second: current, and by contract' },
  ),
})

const Counts = Noun('CarrierLinkCounts', {
  minutes: Type.Integer(),
  answers: Type.Object({
    sent: Type.Integer(),
    slow_down: Type.Integer(),
    failed: Type.Integer(),
    down: Type.Integer(),
    unknown: Type.Integer({ description: 'No response' }),
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

/** One link. */
export const LinkStanding = Noun('CarrierLinkStanding', {
  link: Type.String(),
  kind: Type.String({ description: 'Such as `smpp` or `simulator`' }),
  state: Type.Enum(['up', 'partly', 'down', 'paused'], {
    description: 'Partly: up for some processes. Paused: accepts no new messages',
  }),
  since: Timestamp,
  detail: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why it is down, or what limits it',
  }),
})

const LinkPause = Noun('CarrierLinkPause', {
  since: Timestamp,
  by: Type.String({ description: 'An operator, or `longcode (automatic)`' }),
  reason: Type.String(),
  isAutomatic: Type.Boolean({
    description: 'The carrier refused several messages in a row for the same reason',
  }),
  nextProbeAt: Type.Unsafe<string | null>({
    ...NullableTimestamp,
    description: 'Of an automatic pause: when one message tries whether the link works again',
  }),
})

const NullablePause = Type.Union([LinkPause, Type.Null()])

const Link = Type.Intersect(
  [
    LinkStanding,
    Type.Object({
      pause: NullablePause,
      waiting: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'Messages waiting for it; null with several links',
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
  pause: null,
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
  summary: 'List the carrier links: state, connections, window, rate, last errors',
  description:
    'As reported by processes with the `dispatch` role in the last seconds. Empty if none is running.',
  isExtension: true,
  scope: 'operator',
  reply: Type.Object({
    waiting: Type.Integer({ description: 'Messages ready to be sent, through any link' }),
    unsettled: Type.Integer({
      description: 'Messages sent without a response yet: the carrier may or may not have them',
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
  summary: 'Reload the carriers file in every dispatching process',
  description:
    'No message is lost. The response comes when every process has answered, or after 10 s. An invalid file changes nothing, and `error` shows what is wrong.',
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

const LinkName = Type.Object({ link: Type.String({ minLength: 1, maxLength: 100 }) })
const PAUSE_EXAMPLE = {
  since: AT,
  by: 'night shift',
  reason: 'Maintenance at the carrier',
  isAutomatic: false,
  nextProbeAt: null,
}

export const PAUSE_CARRIER = operation({
  id: 'operatorPauseCarrier',
  tag: 'Operator',
  summary: 'Pause a carrier link',
  description:
    'Applies in every process within two seconds. The link accepts no new messages, finishes outstanding ones, and keeps receiving receipts and inbound messages. Messages use other links of their route, or wait.',
  isExtension: true,
  scope: 'operator',
  params: LinkName,
  body: Type.Object({
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  }),
  reply: Type.Object({ success: Type.Literal(true), link: Type.String(), pause: LinkPause }),
  example: { success: true, link: 'aggregator', pause: PAUSE_EXAMPLE },
  failure: { success: false },
  refuses: ['carrier_link_missing'],
})

export const RESUME_CARRIER = operation({
  id: 'operatorResumeCarrier',
  tag: 'Operator',
  summary: 'Resume a paused carrier link',
  description: 'Also ends an automatic pause. Waiting messages are sent, oldest first.',
  isExtension: true,
  scope: 'operator',
  params: LinkName,
  reply: Type.Object({
    success: Type.Literal(true),
    link: Type.String(),
    wasPaused: Type.Boolean(),
  }),
  example: { success: true, link: 'aggregator', wasPaused: true },
  failure: { success: false },
  refuses: ['carrier_link_missing'],
})

export const CLEAR_REFUSAL = operation({
  id: 'operatorClearRefusal',
  tag: 'Operator',
  summary: 'Use a number again that its carrier refused as a sender',
  description:
    'Without this request, Longcode tries one message a minute to find out whether the carrier accepts the number again.',
  isExtension: true,
  scope: 'operator',
  params: Type.Object({ number: Type.String({ minLength: 1, maxLength: 40 }) }),
  reply: Type.Object({
    success: Type.Literal(true),
    number: Type.String(),
    wasRefused: Type.Boolean(),
  }),
  example: { success: true, number: '+14155550123', wasRefused: true },
  failure: { success: false },
  refuses: ['number_missing', 'field_invalid'],
})
