// Changes of messages through the Twilio-compatible API: cancel, redact, and delete. A deleted message keeps its row and
// its charge, without text and media, and is no longer shown here.

import type { FastifyPluginAsync } from 'fastify'
import type { Caller } from '../accounts/account.js'
import type { Transaction } from '../kit/postgres/db.js'
import type { Message } from '../messages/message.js'
import { cancelMessage } from '../messages/moves/cancel-message.js'
import { eraseMessage, redactText } from '../messages/redact-queries.js'
import { type CompatOptions, compat, formOf, sidIn } from './compat-config.js'
import type { FormBody } from './form.js'
import { getBySid, getShown } from './get-message.js'
import { METADATA } from './message-metadata.js'
import { messageResource } from './message-resource.js'
import { TwilioRefusal } from './twilio-error.js'

const ONE = '/Accounts/:account/Messages/:message'
const ANY_CAMPAIGN = { campaignAccess: 'handler' } as const

export const compatChangeRoutes: FastifyPluginAsync<CompatOptions> = async (app, { clock }) => {
  app.post(ONE, compat('send', ANY_CAMPAIGN), async (request) => {
    const { caller, params, once } = request
    const form = formOf(request)
    return once(async (tx) => {
      const message = await getBySid(tx, caller, sidIn(params, 'message'))
      await applyUpdate(tx, message, form, clock.now())
      return messageResource(await getShown(tx, caller, message.id))
    })
  })

  app.delete(ONE, compat('send', ANY_CAMPAIGN), async ({ caller, params, once }, reply) => {
    await once(async (tx) => erase(tx, caller, sidIn(params, 'message'), clock.now()))
    return reply.code(204).send()
  })
}

async function applyUpdate(
  tx: Transaction,
  { accountId, id }: Message,
  form: FormBody,
  now: Date,
): Promise<void> {
  const status = form.get('Status')
  if (status !== undefined && status !== 'canceled') {
    throw new TwilioRefusal(20001, 'Status can only be changed to canceled.')
  }
  if (form.get('Body') !== undefined) {
    throw new TwilioRefusal(20001, 'Body can only be changed to an empty text, which redacts it.')
  }
  if (status === 'canceled') await cancelMessage(tx, accountId, id, now)
  if (form.has('Body') && !(await redactText(tx, accountId, id))) throw incomplete('redacted')
}

async function erase(tx: Transaction, caller: Caller, sid: string, now: Date): Promise<object> {
  const { accountId, id } = await getBySid(tx, caller, sid)
  const mark = { [METADATA.deleted]: 'true' }
  if (!(await eraseMessage(tx, accountId, id, mark, now))) throw incomplete('deleted')
  return {}
}

function incomplete(what: string): TwilioRefusal {
  return new TwilioRefusal(20009, `A message can only be ${what} once it was sent or failed.`, 409)
}
