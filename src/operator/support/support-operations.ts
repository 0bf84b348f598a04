// What the look-up of messages accepts, returns, and refuses, and the customer's list of what was done to the account.

import { type Static, Type } from 'typebox'
import { ACTS, type AuditEntry } from '../../accounts/audit.js'
import { IsoTime } from '../../kit/contract/iso-time.js'
import { operation } from '../../kit/contract/operation.js'
import {
  HasMore,
  IdParams,
  IdText,
  Noun,
  NullableString,
  NullableTimestamp,
  PageQuery,
  RequiredText,
  Timestamp,
} from '../../kit/contract/schema.js'
import { DIRECTIONS } from '../../messages/message.js'
import { STATUSES } from '../../messages/message-state.js'
import { PhoneQuery } from '../../text/number-schema.js'
import type { FoundMessage, MessageFile } from './find-messages.js'

const REASON_LENGTH_MAX = 255

const ReasonQuery = Type.Optional(
  RequiredText(REASON_LENGTH_MAX, {
    description:
      'Why you look, for example a ticket number. It is required for the text of messages, and the customer can read it. With LONGCODE_SUPPORT_TEXTS=hidden, texts are never shown',
  }),
)

const FoundShape = Noun('FoundMessage', {
  id: Type.String(),
  accountId: Type.String(),
  campaignId: Type.String(),
  type: Type.Enum(['SMS', 'MMS']),
  direction: Type.Enum([...DIRECTIONS]),
  from: Type.String(),
  to: Type.String(),
  status: Type.Enum([...STATUSES]),
  errorCode: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  errorMessage: NullableString,
  numSegments: Type.Integer(),
  createdAt: Timestamp,
  sentAt: NullableTimestamp,
  updatedAt: NullableTimestamp,
  body: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'null if hidden: give a `reason`',
  }),
})

const FOUND_EXAMPLE: Static<typeof FoundShape> = {
  id: 'msg_01km3v9w8m0000pqv3t5x7z9bd',
  accountId: 'acc_01km3v9w8m0000pqv3t5x7z9bd',
  campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
  type: 'SMS',
  direction: 'OUTBOUND',
  from: '+14155550123',
  to: '+14155550100',
  status: 'FAILED',
  errorCode: 1350,
  errorMessage: 'The number cannot receive texts',
  numSegments: 1,
  createdAt: '2026-11-15T12:00:00.000Z',
  sentAt: null,
  updatedAt: '2026-11-15T12:00:01.000Z',
  body: null,
}

export const SEARCH_MESSAGES = operation({
  id: 'operatorSearchMessages',
  tag: 'Operator',
  summary: 'Find messages of any account, newest first',
  description:
    'Give `id`, `number`, or `account`. With `number` or `account`, the default range is the last 7 days, and the longest is 31 days. Every look-up is written to the audit log of each account whose messages it returns. The account reads it at `GET /v1/account/activity`.',
  isExtension: true,
  scope: 'operator',
  query: Type.Object({
    id: Type.Optional(IdText({ description: 'The ID of the message' })),
    number: Type.Optional(PhoneQuery({ description: 'A recipient, or a number of an account' })),
    account: Type.Optional(IdText({ description: 'Only messages of this account' })),
    since: Type.Optional(IsoTime('Created at or after this time')),
    until: Type.Optional(IsoTime('Created before this time')),
    reason: ReasonQuery,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    after: Type.Optional(
      IdText({ description: 'The ID of the last message of the previous page' }),
    ),
  }),
  reply: Type.Object({ messages: Type.Array(FoundShape), hasMore: HasMore }),
  example: { messages: [FOUND_EXAMPLE], hasMore: false },
  failure: { messages: [] },
  refuses: ['account_missing'],
})

export const OPEN_MESSAGE = operation({
  id: 'operatorGetMessage',
  tag: 'Operator',
  summary: 'Show what happened to a message of any account',
  description:
    'With its timeline, the carrier link that took it, and the carrier’s IDs for its parts (the first three). Written to the audit log of its account, like a search.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  query: Type.Object({ reason: ReasonQuery }),
  reply: Type.Object({
    message: FoundShape,
    timeline: Type.Array(
      Noun('TimelineEntry', { at: Timestamp, kind: Type.String(), text: Type.String() }),
    ),
    handovers: Type.Array(
      Noun('Handover', {
        at: Timestamp,
        link: Type.String({ description: 'The carrier link that took the message' }),
        carrierIds: Type.Array(Type.String(), { description: 'The carrier’s IDs' }),
      }),
    ),
  }),
  example: {
    message: FOUND_EXAMPLE,
    timeline: [
      { at: FOUND_EXAMPLE.createdAt, kind: 'created', text: 'Accepted and queued for sending' },
    ],
    handovers: [{ at: FOUND_EXAMPLE.createdAt, link: 'acme', carrierIds: ['4f2a'] }],
  },
  failure: { message: null },
  refuses: ['message_missing'],
})

const ActivityShape = Noun('Activity', {
  id: Type.String(),
  at: Timestamp,
  act: Type.Enum([...ACTS], { title: 'ActName' }),
  by: Type.Enum(['operator', 'customer'], {
    description: 'Whether the operator of this installation did it, or a token of the account',
  }),
  actor: Type.String({ description: 'The name of the operator, or the ID of the token' }),
  subject: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The record or phone number concerned',
  }),
  person: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description:
      'Of an act about a person: the email of the person who was invited, changed, or removed',
  }),
  role: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Of an act about a person: the role, or the new role if it changed',
  }),
  reason: NullableString,
  messages: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Of a look-up: how many of your messages it returned',
  }),
  withText: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'Of a look-up: whether it showed their texts',
  }),
})

export const LIST_ACTIVITY = operation({
  id: 'listActivity',
  tag: 'Account',
  summary: 'List what operators and tokens did to this account, newest first',
  description:
    'For example each time the operator looked up your messages (`message.lookup`), with the reason given.',
  isExtension: true,
  scope: 'manage',
  query: PageQuery,
  reply: Type.Object({ activity: Type.Array(ActivityShape), hasMore: HasMore }),
  example: {
    activity: [
      {
        id: 'aud_01km3v9w8m0000pqv3t5x7z9bd',
        at: '2026-11-15T12:00:00.000Z',
        act: 'message.lookup',
        by: 'operator',
        actor: 'ana',
        subject: '+14155550100',
        person: null,
        role: null,
        reason: 'Ticket 4711',
        messages: 2,
        withText: true,
      },
    ],
    hasMore: false,
  },
  failure: { activity: [] },
})

export function wireFound({ message, hasText }: FoundMessage): Static<typeof FoundShape> {
  const { id, accountId, campaignId, type, direction, number, peer, status } = message
  const isInbound = direction === 'INBOUND'
  return {
    ...{ id, accountId, campaignId, type, direction },
    from: isInbound ? peer : number,
    to: isInbound ? number : peer,
    status,
    errorCode: message.errorCode,
    errorMessage: message.errorMessage,
    numSegments: message.numSegments,
    createdAt: message.createdAt.toISOString(),
    sentAt: message.sentAt?.toISOString() ?? null,
    updatedAt: message.updatedAt?.toISOString() ?? null,
    body: hasText ? message.body : null,
  }
}

export function wireFile(file: MessageFile) {
  return {
    message: wireFound(file),
    timeline: file.timeline.map((entry) => ({ ...entry, at: entry.at.toISOString() })),
    handovers: file.handovers.map((one) => ({ ...one, at: one.at.toISOString() })),
  }
}

/** Without IP addresses, and with those values before and after that cannot concern the installation. */
export function wireActivity(entry: AuditEntry): Static<typeof ActivityShape> {
  const { id, at, act, actor, subject } = entry
  const after = (entry.after ?? {}) as Record<string, unknown>
  const { email, role } = { ...entry.before, ...after } as Record<string, unknown>
  const isAboutPerson = act.startsWith('user.')
  return {
    id,
    at: at.toISOString(),
    act,
    by: actor.kind === 'customer' ? 'customer' : 'operator',
    actor: actor.name,
    subject,
    person: isAboutPerson && typeof email === 'string' ? email : null,
    role: isAboutPerson && typeof role === 'string' ? role : null,
    reason: typeof after.reason === 'string' ? after.reason : null,
    messages: typeof after.messages === 'number' ? after.messages : null,
    withText: typeof after.withText === 'boolean' ? after.withText : null,
  }
}
