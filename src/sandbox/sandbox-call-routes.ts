// POST /sandbox/call: a simulated call to a number, and what the caller hears.

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
  summary: 'Call a number and see what the caller hears',
  description:
    'Handled and counted like a call from a trunk. A refused call is a success with its SIP `status`.',
  isExtension: true,
  scope: 'send',
  body: Type.Object({
    to: E164({ description: 'The number to call' }),
    from: Type.Optional(E164({ description: `The caller’s number. Default: ${CALLER}` })),
  }),
  bodyExample: { to: '+14152004000' },
  reply: Type.Object({
    success: Type.Literal(true),
    status: Type.Integer({ description: 'SIP status: 302 redirected; 404, 480, 482 … refused' }),
    reason: Type.String(),
    forwardedTo: NullableString,
    heard: Type.String({ description: 'What the caller hears, in a sentence' }),
    request: Type.String({ description: 'The INVITE request' }),
    response: Type.String({ description: 'The SIP response' }),
  }),
  example: {
    success: true,
    status: 302,
    reason: 'Moved Temporarily',
    forwardedTo: '+14155550188',
    heard: 'The caller is redirected to +14155550188.',
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
    // Forwarding targets of other accounts are private.
    if (number && number.accountId !== caller.accountId) throw new Refusal('number_missing')
    if (voice === null) throw new Refusal('calls_absent')
    const [trunk] = voice.trunks
    if (!trunk) throw new Refusal('calls_absent', 'No trunk is set up. Set LONGCODE_TRUNKS')
    return once(async () => ({
      success: true as const,
      ...placeCall({ from, to }, voice.answerer, trunk),
    }))
  })
}
