// The reads across campaigns, as declared to the HTTP layer and openapi.json.

import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { Noun, NullableString, PageQuery } from '../../kit/contract/schema.js'
import { OPTOUT_EXAMPLE, OptoutShape } from '../../optouts/optout-routes.js'
import { PhoneQuery } from '../../text/number-schema.js'
import { SEARCH_REACH } from '../message-queries.js'
import { MESSAGE_EXAMPLE, MessageShape } from '../message-wire.js'
import { CONVERSATION_REACH } from './conversation-queries.js'
import { FILTER_FIELDS } from './message-filter.js'

const MORE =
  'To get the next page, pass `next` of this page as `after`, until `hasMore` is false. A page can have fewer records than `limit`, or none, even if more follow:'

const { limit } = PageQuery.properties

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

const PageEnd = {
  hasMore: Type.Boolean({ description: 'Whether more records may follow' }),
  next: { ...NullableString, description: 'The `after` value for the next page' },
}

export const SEARCH = operation({
  id: 'searchMessages',
  tag: 'Messages',
  summary: 'Search the messages of all campaigns, newest first',
  description: `${MORE} one request reads at most ${SEARCH_REACH.toLocaleString('en')} messages to match filters other than \`campaign\`, \`number\`, \`since\`, and \`until\`.`,
  isExtension: true,
  scope: 'read',
  campaignAccess: 'query',
  query: Type.Object({
    ...FILTER_FIELDS,
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
    campaign: FILTER_FIELDS.campaign,
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
