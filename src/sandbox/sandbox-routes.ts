// The sandbox over HTTP: messages from simulated phones, what a phone shows, and the clock.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import { Noun, PathText, Timestamp } from '../kit/contract/schema.js'
import type { World } from '../kit/world.js'
import type { InboundReceiver } from '../messages/inbound/receive-message.js'
import { MediaUrls } from '../messages/message-operations.js'
import { listPhoneMessages, listPhones } from '../messages/message-queries.js'
import { MESSAGE_EXAMPLE, MessageShape, wireMessage } from '../messages/message-wire.js'
import { findMediaProblem } from '../messages/send/check-send.js'
import { findNumber } from '../numbers/number-queries.js'
import { E164 } from '../text/number-schema.js'
import { digitsToE164 } from '../text/phone-number.js'
import { advanceOffset } from './clock-queries.js'
import { moveClock } from './test-clock.js'

const PHONE_MESSAGES_MAX = 100
const PHONES_MAX = 50
const PARTS_MAX = 255
const TEN_YEARS_S = 10 * 366 * 24 * 60 * 60

const INBOUND = operation({
  id: 'receiveInbound',
  tag: 'Sandbox',
  summary: 'Send a message from a simulated phone to one of your numbers',
  isExtension: true,
  scope: 'send',
  body: Type.Object({
    from: E164({ description: 'The phone' }),
    to: E164({ description: 'A number of your account' }),
    body: Type.String({ maxLength: 10_000 }),
    mediaUrls: Type.Optional(MediaUrls),
    part: Type.Optional(
      Type.Object(
        {
          reference: Type.Integer({ minimum: 0, maximum: 65_535 }),
          total: Type.Integer({ minimum: 1, maximum: PARTS_MAX }),
          sequence: Type.Integer({ minimum: 1, maximum: PARTS_MAX }),
        },
        { description: 'One part of a long message, as carriers deliver them' },
      ),
    ),
  }),
  bodyExample: { from: '+14155550123', to: '+14152004000', body: 'STOP' },
  reply: Type.Object({
    success: Type.Literal(true),
    id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The inbound message. null while parts are missing',
    }),
  }),
  example: { success: true, id: MESSAGE_EXAMPLE.id },
  failure: { success: false },
  refuses: ['number_missing'],
})

const HANDSET = operation({
  id: 'getHandset',
  tag: 'Sandbox',
  summary: 'List the messages of a simulated phone, newest first',
  isExtension: true,
  scope: 'read',
  params: Type.Object({ number: PathText() }),
  reply: Type.Object({ number: Type.String(), messages: Type.Array(MessageShape) }),
  example: { number: '+14155550123', messages: [MESSAGE_EXAMPLE] },
  failure: { messages: [] },
  refuses: ['number_missing'],
})

const HANDSETS = operation({
  id: 'listHandsets',
  tag: 'Sandbox',
  summary: 'List simulated phones with messages, latest first',
  isExtension: true,
  scope: 'read',
  reply: Type.Object({
    handsets: Type.Array(Noun('Handset', { number: Type.String(), lastMessage: MessageShape })),
  }),
  example: { handsets: [{ number: '+14155550123', lastMessage: MESSAGE_EXAMPLE }] },
  failure: { handsets: [] },
})

const ClockReply = Noun('Clock', {
  now: Timestamp,
  aheadSeconds: Type.Number({
    description: 'How far the service’s clock is ahead of the system clock',
  }),
})

const CLOCK = operation({
  id: 'getClock',
  tag: 'Sandbox',
  summary: 'The current time of the service',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'none',
  reply: ClockReply,
  example: { now: MESSAGE_EXAMPLE.createdAt, aheadSeconds: 0 },
  failure: {},
})

const ADVANCE = operation({
  id: 'advanceClock',
  tag: 'Sandbox',
  summary: 'Move the service’s clock forward',
  description:
    'Renewals, schedules, retries, and retention follow the new time. The clock cannot go back.',
  isExtension: true,
  scope: 'manage',
  body: Type.Object({
    seconds: Type.Number({
      exclusiveMinimum: 0,
      maximum: TEN_YEARS_S,
      'x-expects': `must be more than 0 and at most ${TEN_YEARS_S} (ten years)`,
    }),
  }),
  bodyExample: { seconds: 3600 },
  reply: Type.Object({ success: Type.Literal(true), ...ClockReply.properties }),
  example: { success: true, now: MESSAGE_EXAMPLE.createdAt, aheadSeconds: 3600 },
  failure: { success: false },
})

type Options = World & { receiver: InboundReceiver }

export const sandboxRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { db, clock, receiver } = options

  app.post('/sandbox/inbound', INBOUND, async ({ caller, body, once }) => {
    const { from, to, mediaUrls = [], part = null } = body
    const mediaProblem = findMediaProblem(mediaUrls, { allowPrivate: true })
    if (mediaProblem) throw mediaProblem
    if (part && part.sequence > part.total) {
      throw fieldRefusal('part.sequence', 'must be at most part.total')
    }
    const number = await findNumber(db, to)
    if (number?.accountId !== caller.accountId) throw new Refusal('number_missing')
    const id = await receiver.receive(
      { link: 'simulator', carrierId: null, from, to, body: body.body, mediaUrls, part },
      async (work) => {
        const answer = await once(async (tx) => ({ success: true as const, id: await work(tx) }))
        return answer.id
      },
    )
    return { success: true as const, id }
  })

  app.get('/sandbox/handset/:number', HANDSET, async ({ caller, params }) => {
    const number = digitsToE164(params.number)
    if (!number) throw new Refusal('number_missing')
    const messages = await listPhoneMessages(db, caller.accountId, number, PHONE_MESSAGES_MAX)
    return { number, messages: messages.map(wireMessage) }
  })

  app.get('/sandbox/handset', HANDSETS, async ({ caller }) => {
    const messages = await listPhones(db, caller.accountId, PHONES_MAX)
    const handsets = messages.map((m) => ({ number: m.peer, lastMessage: wireMessage(m) }))
    return { handsets }
  })

  app.get('/sandbox/clock', CLOCK, async () => ({
    now: clock.now().toISOString(),
    aheadSeconds: clock.offsetMs / 1000,
  }))

  app.post('/sandbox/clock/advance', ADVANCE, async ({ body, once }) => {
    const answer = await once(async (tx) => {
      const offsetMs = await advanceOffset(tx, body.seconds)
      const now = new Date(clock.now().getTime() - clock.offsetMs + offsetMs).toISOString()
      return { success: true as const, now, aheadSeconds: offsetMs / 1000 }
    })
    moveClock(options, answer.aheadSeconds * 1000)
    return answer
  })
}
