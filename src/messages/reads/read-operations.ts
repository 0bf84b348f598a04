// The reads across campaigns, as declared to the HTTP layer and openapi.json.

import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { IdText, Noun, NullableString, PageQuery } from '../../kit/contract/schema.js'
import { OPTOUT_EXAMPLE, OptoutShape } from '../../optouts/optout-routes.js'
import { PhoneQuery } from '../../text/number-schema.js'
import { LIST } from '../message-operations.js'
import { SEARCH_REACH } from '../message-queries.js'
import { MESSAGE_EXAMPLE, MessageShape } from '../message-wire.js'
import { CONVERSATION_REACH } from './conversation-queries.js'

const MORE =
  'To get the next page, pass `next` of this page as `after`, until `hasMore` is false. A page can have fewer records than `limit`, or none, even if more follow:'

const ERROR_CODE_MAX = 99_999

const { limit } = PageQuery.properties
const { direction, number, status, since, until } = LIST.schema.querystring.properties

const PAGE = {
  limit,
  after: Type.Optional(
    Type.String({
      pattern: '^msg_[0-9a-hjkmnp-tv-z]{26}$',
      description: '`next` of the previous page',
      'x-expects': 'must be next of the previous page',
      'x-also': ['cursor', 'startingAfter', 'next', 'lastId', 'pageToken', 'skip', 'offset'],
    }),
  ),
}

const Campaign = Type.Optional(IdText({ description: 'Only this campaign. Default: all' }))

const PageEnd = {
  hasMore: Type.Boolean({ description: 'Whether more records may follow' }),
  next: { ...NullableString, description: 'The `after` value for the next page' },
}

export const SEARCH = operation({
  id: 'searchMessages',
  tag: 'Messages',
  summary: 'Search the messages of all campaigns, newest first',
  description: `${MORE} one request reads at most ${SEARCH_REACH.toLocaleString('en')} messages to match \`direction\`, \`status\`, or \`errorCode\`.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'query',
  query: Type.Object({
    campaign: Campaign,
    direction,
    number,
    status,
    errorCode: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ERROR_CODE_MAX,
        description:
          'Only messages that failed with this code. GET /v1/error/list returns the codes',
        'x-expects': 'must be a message error code, for example 1350',
        'x-also': ['error', 'code'],
      }),
    ),
    since,
    until,
    ...PAGE,
  }),
  reply: Type.Object({ messages: Type.Array(MessageShape), ...PageEnd }),
  example: { messages: [MESSAGE_EXAMPLE], hasMore: false, next: null },
  failure: { messages: null },
  refuses: ['campaign_missing'],
})

export const CONVERSATIONS = operation({
  id: 'listConversations',
  tag: 'Messages',
  summary: 'List conversations, latest message first',
  description: `One entry for each campaign and recipient. ${MORE} one request reads at most ${CONVERSATION_REACH.toLocaleString('en')} messages. A conversation with a new message moves to the front.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'query',
  query: Type.Object({
    campaign: Campaign,
    number: Type.Optional(
      PhoneQuery({
        description:
          'Only conversations with this recipient, or whose last message used this number of your account',
        'x-also': ['recipient', 'phone', 'phoneNumber', 'peer', 'to', 'from'],
      }),
    ),
    ...PAGE,
  }),
  reply: Type.Object({
    conversations: Type.Array(
      Noun('Conversation', {
        campaignId: Type.String(),
        recipient: Type.String({ description: 'The other party' }),
        number: Type.String({ description: 'Your number in the last message' }),
        lastMessage: MessageShape,
        optout: Type.Union([OptoutShape, Type.Null()], {
          description: 'null if the recipient has not opted out',
        }),
      }),
    ),
    ...PageEnd,
  }),
  example: {
    conversations: [
      {
        campaignId: MESSAGE_EXAMPLE.campaignId,
        recipient: OPTOUT_EXAMPLE.recipient,
        number: OPTOUT_EXAMPLE.number,
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
