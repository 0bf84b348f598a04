// The inbox and its conversations, as declared to the HTTP layer and openapi.json.

import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import {
  HasMore,
  IdParams,
  IdText,
  Noun,
  NullableString,
  PageQuery,
  PathText,
  RequiredText,
  Timestamp,
} from '../kit/contract/schema.js'
import { MESSAGE_EXAMPLE, MessageShape } from '../messages/message-wire.js'
import { OPTOUT_EXAMPLE, OptoutShape } from '../optouts/optout-routes.js'
import { CONTACT_EXAMPLE, ContactShape } from './contact.js'
import { CONVERSATION_STATUSES, VIEWS } from './conversation.js'
import { INBOX_REACH } from './conversation-queries.js'
import { CONVERSATION_EXAMPLE, ConversationStateShape } from './conversation-wire.js'

const ASSIGNEE_LENGTH_MAX = 100
const NOTE_LENGTH_MAX = 2_000

const TAG = 'Inbox'
const REACH = INBOX_REACH.toLocaleString('en')
const { limit } = PageQuery.properties
const Assignee = { maxLength: ASSIGNEE_LENGTH_MAX, minLength: 1, pattern: '\\S' }

const Filter = {
  campaign: Type.Optional(IdText({ description: 'Only this campaign. Default: all' })),
  assignee: Type.Optional(
    Type.String({ ...Assignee, description: 'Only conversations assigned to this user or name' }),
  ),
}

export const INBOX = operation({
  id: 'listInbox',
  tag: TAG,
  summary: 'List the conversations that someone replied in, latest reply first',
  description: `A large send does not fill the inbox: a conversation appears when the recipient replies, or when someone assigns or closes it. \`GET /v1/conversation/list\` has all conversations. Keywords such as STOP do not count as replies.\n\nTo get the next page, pass \`next\` of this page as \`after\`, until \`hasMore\` is false. A page can have fewer records than \`limit\`, or none, even if more follow: one request reads at most ${REACH} conversations.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'query',
  query: Type.Object({
    view: Type.Optional(
      Type.Enum([...VIEWS], {
        default: 'open',
        description:
          'open: not closed. unread: nobody has opened it since the last reply. waiting: the recipient wrote last. closed: closed, and no reply since',
      }),
    ),
    ...Filter,
    limit,
    after: Type.Optional(
      Type.String({
        pattern: '^msg_[0-9a-hjkmnp-tv-z]{26}$',
        description: '`next` of the previous page',
        'x-expects': 'must be next of the previous page',
        'x-also': ['cursor', 'startingAfter', 'next', 'lastId', 'pageToken', 'skip', 'offset'],
      }),
    ),
  }),
  reply: Type.Object({
    conversations: Type.Array(
      Noun('InboxConversation', {
        ...ConversationStateShape.properties,
        contact: Type.Union([ContactShape, Type.Null()]),
        lastMessage: Type.Union([MessageShape, Type.Null()], {
          description: 'null if it was deleted',
        }),
        optout: Type.Union([OptoutShape, Type.Null()], {
          description: 'null if the recipient has not opted out',
        }),
      }),
    ),
    hasMore: Type.Boolean({ description: 'Whether more records may follow' }),
    next: { ...NullableString, description: 'The `after` value for the next page' },
  }),
  example: {
    conversations: [
      {
        ...CONVERSATION_EXAMPLE,
        contact: CONTACT_EXAMPLE,
        lastMessage: MESSAGE_EXAMPLE,
        optout: OPTOUT_EXAMPLE,
      },
    ],
    hasMore: false,
    next: null,
  },
  failure: { conversations: [] },
  refuses: ['campaign_missing'],
})

export const COUNTS = operation({
  id: 'countInbox',
  tag: TAG,
  summary: 'Count the conversations in the inbox',
  description: `Among the latest ${REACH} of each kind.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'query',
  query: Type.Object(Filter),
  reply: Type.Object({
    counts: Noun('InboxCounts', {
      open: Type.Integer(),
      unread: Type.Integer(),
      waiting: Type.Integer(),
      assigned: Type.Integer({ description: 'Assigned to `assignee`. 0 without one' }),
    }),
  }),
  example: { counts: { open: 12, unread: 3, waiting: 5, assigned: 2 } },
  failure: { counts: null },
  refuses: ['campaign_missing'],
})

const ConversationParams = Type.Object({ ...IdParams.properties, number: PathText() })
const OF_CAMPAIGN = { isExtension: true, campaignAccess: 'campaign', tag: TAG } as const
const MISSING = ['campaign_missing', 'conversation_missing'] as const

export const CONVERSATION = operation({
  ...OF_CAMPAIGN,
  id: 'getConversation',
  summary: 'Read a conversation’s status and contact',
  scope: 'read',
  params: ConversationParams,
  reply: Type.Object({
    conversation: ConversationStateShape,
    contact: Type.Union([ContactShape, Type.Null()]),
  }),
  example: { conversation: CONVERSATION_EXAMPLE, contact: CONTACT_EXAMPLE },
  failure: { conversation: null },
  refuses: MISSING,
})

export const CHANGE = operation({
  ...OF_CAMPAIGN,
  id: 'changeConversation',
  summary: 'Assign, close, or mark a conversation',
  description:
    'Fields that are absent stay. A new reply opens a closed conversation again and marks it unread.',
  scope: 'send',
  params: ConversationParams,
  body: Type.Object({
    status: Type.Optional(Type.Enum([...CONVERSATION_STATUSES])),
    unread: Type.Optional(Type.Boolean()),
    assignee: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        ...Assignee,
        description: 'A user, or a name that your own system uses. null: nobody',
        'x-expects': `must be a text of 1 to ${ASSIGNEE_LENGTH_MAX} characters, or null`,
      }),
    ),
  }),
  bodyExample: { unread: false, assignee: 'ana' },
  reply: Type.Object({ success: Type.Literal(true), conversation: ConversationStateShape }),
  example: {
    success: true,
    conversation: { ...CONVERSATION_EXAMPLE, unread: false, assignee: 'ana' },
  },
  failure: { success: false },
  refuses: MISSING,
})

const NoteShape = Noun('ConversationNote', {
  id: Type.String(),
  author: NullableString,
  body: Type.String(),
  createdAt: Timestamp,
})
const NOTE_EXAMPLE = {
  id: 'nte_01km3v9w8m0000pqv3t5x7z9bd',
  author: 'Ana Rivera',
  body: 'Called back. Wants the refund by check.',
  createdAt: '2026-11-15T12:00:00.000Z',
}

export const NOTES = operation({
  ...OF_CAMPAIGN,
  id: 'listConversationNotes',
  summary: 'List the internal notes of a conversation, newest first',
  scope: 'read',
  params: ConversationParams,
  query: Type.Object({ limit, after: PageQuery.properties.after }),
  reply: Type.Object({ notes: Type.Array(NoteShape), hasMore: HasMore }),
  example: { notes: [NOTE_EXAMPLE], hasMore: false },
  failure: { notes: [] },
  refuses: ['campaign_missing'],
})

export const ADD_NOTE = operation({
  ...OF_CAMPAIGN,
  id: 'addConversationNote',
  summary: 'Add an internal note to a conversation',
  description: 'The recipient never sees it.',
  scope: 'send',
  params: ConversationParams,
  body: Type.Object({
    body: RequiredText(NOTE_LENGTH_MAX),
    author: Type.Optional(
      Type.String({ maxLength: 100, description: 'Who wrote it, as your system names them' }),
    ),
  }),
  bodyExample: { body: NOTE_EXAMPLE.body, author: NOTE_EXAMPLE.author },
  reply: Type.Object({ success: Type.Literal(true), note: NoteShape }),
  example: { success: true, note: NOTE_EXAMPLE },
  failure: { success: false },
  refuses: MISSING,
})

export const DELETE_NOTE = operation({
  ...OF_CAMPAIGN,
  id: 'deleteConversationNote',
  summary: 'Delete an internal note',
  scope: 'send',
  params: Type.Object({ ...ConversationParams.properties, noteId: PathText() }),
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: NOTE_EXAMPLE.id },
  failure: { success: false },
  refuses: ['campaign_missing', 'note_missing'],
})
