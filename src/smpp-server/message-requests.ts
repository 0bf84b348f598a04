// Answers query_sm, cancel_sm, and replace_sm for a message.

import { asRefusal } from '../http/failure-replies.js'
import { Refusal } from '../kit/contract/refusal.js'
import { isId } from '../kit/ids.js'
import type { World } from '../kit/world.js'
import type { Message } from '../messages/message.js'
import { getMessage } from '../messages/message-queries.js'
import { cancelMessage } from '../messages/moves/cancel-message.js'
import { isFinalState, numberOfState } from '../smpp/message-state.js'
import type { PduOf } from '../smpp/pdu/pdu.js'
import type { PeerAnswer } from '../smpp/session/session-event.js'
import { absoluteTime } from '../smpp/time.js'
import { stateOf } from './message-states.js'
import { listSet } from './part-queries.js'
import { setOfPart } from './receipt-request.js'
import { answerOf, type No, noOf } from './refusal-status.js'
import type { System } from './system.js'

export async function queryMessage(
  world: World,
  system: System,
  { body }: PduOf<'query_sm'>,
): Promise<PeerAnswer<'query_sm'>> {
  try {
    requireScope(system, 'read')
    const message = await findSubmitted(world, system, body.messageId)
    const fields = message ? stateFields(message) : { messageState: numberOfState('ENROUTE') }
    return { fields: { messageId: body.messageId, ...fields } }
  } catch (error) {
    return refused(world, system, error)
  }
}

export async function cancelSubmitted(
  world: World,
  system: System,
  { body }: PduOf<'cancel_sm'>,
): Promise<PeerAnswer<'cancel_sm'>> {
  const { db, clock } = world
  try {
    requireScope(system, 'send')
    if (body.messageId === '') {
      const sentence = 'message_id must name the message to cancel'
      return answerOf({ status: 'ESME_RCANCELFAIL', sentence })
    }
    const message = await findSubmitted(world, system, body.messageId)
    const { accountId } = system
    if (!message) throw new Refusal('message_state', 'The message is not whole yet')
    await db.transaction((tx) => cancelMessage(tx, accountId, message.id, clock.now()), {
      accountId,
    })
    return {}
  } catch (error) {
    return refused(world, system, error)
  }
}

/** An accepted message is never changed. */
export function refuseReplace(): { status: number } {
  const sentence = 'Messages cannot be replaced: cancel_sm a scheduled one, and submit another'
  return answerOf({ status: 'ESME_RREPLACEFAIL', sentence })
}

function requireScope({ scopes }: System, scope: 'read' | 'send'): void {
  if (scopes.includes(scope)) return
  throw new Refusal('scope_absent', `This access token lacks the scope ${scope}`)
}

/** Finds it by its own ID or by that of one of its parts. Null: a part whose other parts are missing. */
async function findSubmitted(
  { db }: World,
  { accountId, tokenId }: System,
  id: string,
): Promise<Message | null> {
  const setId = setOfPart(id)
  if (setId === null) {
    if (!isId('msg', id)) throw new Refusal('message_missing')
    return getMessage(db, accountId, id)
  }
  const [part] = await listSet(db, accountId, setId)
  if (part?.tokenId !== tokenId) throw new Refusal('message_missing')
  return part.messageId === null ? null : getMessage(db, accountId, part.messageId)
}

/** One byte, while receipts have three digits: our code minus 1300. */
const ERROR_BASE = 1300

function stateFields(message: Message) {
  const { state } = stateOf(message.status, message.errorCode)
  return {
    messageState: numberOfState(state),
    finalDate: isFinalState(state) && message.updatedAt ? absoluteTime(message.updatedAt) : '',
    errorCode: message.errorCode === null ? 0 : (message.errorCode - ERROR_BASE) & 0xff,
  }
}

function refused({ log }: World, { systemId }: System, error: unknown) {
  const no: No = noOf(asRefusal(error, systemId, log))
  return answerOf(no)
}
