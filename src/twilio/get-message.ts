// A message by its SID, as far as the caller may see it.

import { type Caller, maySeeCampaign } from '../accounts/account.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Message } from '../messages/message.js'
import { findMessage } from '../messages/message-queries.js'
import { METADATA } from './message-metadata.js'
import { messageIdOf } from './sids.js'
import { TwilioRefusal } from './twilio-error.js'

export async function getBySid(db: Queryable, caller: Caller, sid: string): Promise<Message> {
  const id = messageIdOf(sid)
  if (id === null) throw missing(sid)
  return getShown(db, caller, id, sid)
}

export async function getShown(
  db: Queryable,
  caller: Caller,
  id: string,
  sid = id,
): Promise<Message> {
  const message = await findMessage(db, caller.accountId, id)
  const isShown =
    message && maySeeCampaign(caller, message.campaignId) && !message.metadata[METADATA.deleted]
  if (!isShown) throw missing(sid)
  return message
}

export function missing(path: string): TwilioRefusal {
  const shown = path.slice(0, 60).toWellFormed()
  return new TwilioRefusal(20404, `The requested resource ${shown} was not found.`, 404)
}
