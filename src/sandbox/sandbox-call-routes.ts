// POST /sandbox/call: somebody calls a number, and what they were told.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import { Refusal } from '../kit/contract/refusal.js'
import { NullableString } from '../kit/contract/schema.js'
import type { World } from '../kit/world.js'
import { findNumber } from '../numbers/number-queries.js'
import { E164 } from '../text/number-schema.js'
import type { VoiceRoom } from '../voice/voice-room.js'
import { placeCall } from './place-call.js'

const CALLER = '+14155550100'

const CALL = operation({
  id: 'placeCall',
  tag: 'Sandbox',
  summary: 'Call a number, and see what the caller is told',
  description:
    'Answered as a trunk would be, and counted. A call that is refused is a success with its SIP `status`.',
  isExtension: true,
  scope: 'send',
  body: Type.Object({
    to: E164({ description: 'The number that is called' }),
    from: Type.Optional(E164({ description: `Who calls; ${CALLER} unless given` })),
  }),
  bodyExample: { to: '+14152004000' },
  reply: Type.Object({
    success: Type.Literal(true),
    status: Type.Integer({ description: 'Of SIP: 302 redirected, 404, 480, 482 … refused' }),
    reason: Type.String(),
    forwardedTo: NullableString,
    heard: Type.String({ description: 'What the caller was told, in a sentence' }),
    request: Type.String({ description: 'The INVITE' }),
    response: Type.String({ description: 'Its answer' }),
  }),
  example: {
    success: true,
    status: 302,
    reason: 'Moved Temporarily',
    forwardedTo: '+14155550188',
    heard: 'The caller was sent on to +14155550188.',
    request: 'INVITE sip:+14152004000@127.0.0.1;user=phone SIP/2.0\r\n…',
    response: 'SIP/2.0 302 Moved Temporarily\r\n…',
  },
  failure: { success: false },
  refuses: ['number_missing', 'calls_absent'],
})

/** `voice` is null in a process without the role. */
type Options = World & { voice: VoiceRoom | null }

export const sandboxCallRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { db, voice } = options

  app.post('/sandbox/call', CALL, async ({ caller, body, once }) => {
    const { to, from = CALLER } = body
    const number = await findNumber(db, to)
    // Where others have their calls ring is theirs to know.
    if (number && number.accountId !== caller.accountId) throw new Refusal('number_missing')
    if (voice === null) throw new Refusal('calls_absent')
    const [trunk] = voice.trunks
    if (!trunk) throw new Refusal('calls_absent', 'No trunk is set up: name one in LONGCODE_TRUNKS')
    return once(async () => ({
      success: true as const,
      ...placeCall({ from, to }, voice.answerer, trunk),
    }))
  })
}
