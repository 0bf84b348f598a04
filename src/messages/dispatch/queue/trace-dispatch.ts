// The spans of a message while this process has it: the dispatch as a whole, and each submit to a carrier in it. They
// cost nothing for messages that no trace follows.

import type { World } from '../../../kit/world.js'
import type { SubmitAnswer } from '../../carrier-port.js'
import type { QueuedMessage } from '../../lane-queries.js'
import type { Leased } from '../leased.js'

type Traced = Pick<World, 'tracing'>

export function startDispatch({ tracing }: Traced, leased: Leased): void {
  if (tracing?.mayFollow(leased.message.id)) leased.heldSinceMs = tracing.startMs()
}

export function endDispatch({ tracing }: Traced, leased: Leased, error?: unknown): void {
  const { message, heldSinceMs } = leased
  if (heldSinceMs === undefined) return
  tracing?.record({
    accountId: message.accountId,
    id: message.id,
    name: 'dispatch',
    kind: 'consumer',
    startMs: heldSinceMs,
    attributes: { 'longcode.attempt': message.attempts + 1, 'longcode.route': message.route },
    error: error === undefined ? null : String((error as Error).message ?? error),
    key: keyOf(message),
  })
}

/** After the carrier's response, for those of the batch that a trace follows. */
export function traceSubmit(
  { tracing }: Traced,
  batch: readonly Leased[],
  answers: readonly SubmitAnswer[],
  startMs: number,
): void {
  if (!tracing) return
  for (const [i, { message, heldSinceMs }] of batch.entries()) {
    if (heldSinceMs === undefined) continue
    const answer = answers[i]!
    tracing.record({
      accountId: message.accountId,
      id: message.id,
      name: 'carrier submit',
      kind: 'client',
      startMs,
      attributes: {
        'longcode.answer': answer.kind,
        'longcode.link': 'link' in answer ? answer.link : undefined,
        'longcode.carrier_code': 'carrierCode' in answer ? answer.carrierCode : undefined,
      },
      error: answer.kind === 'sent' ? null : answer.kind,
      parentKey: keyOf(message),
    })
  }
}

function keyOf({ attempts }: QueuedMessage): string {
  return `dispatch ${attempts}`
}
