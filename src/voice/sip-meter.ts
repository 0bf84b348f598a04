// Counters of SIP messages and answered calls. Each update is one addition.

import type { CounterCell, Metrics } from '../kit/metrics.js'
import type { LimitFault, SipAnswer, SipOutcome } from '../sip/answer/answer-message.js'
import type { Source } from '../sip/message/via.js'

const TRANSPORTS = ['udp', 'tcp', 'tls'] as const
/** `stranger`: the source belongs to no trunk; over TCP and TLS, a connection closed for that reason. */
const OUTCOMES = ['answered', 'ignored', 'ping', 'nonsense', 'stranger', 'dropped'] as const
/** `refused`: one of our numbers without a target; `limited`: over a limit of its number or account, or its balance; `invalid`: without a number, or an unsupported request. */
const CALL_ANSWERS = ['redirected', 'refused', 'limited', 'unknown', 'invalid', 'overload'] as const
export type CallAnswer = (typeof CALL_ANSWERS)[number]

type Cells<Name extends string> = Record<Name, CounterCell>

export class SipMeter {
  readonly #messages: Record<Source['transport'], Cells<(typeof OUTCOMES)[number]>>
  readonly calls: Cells<CallAnswer>

  constructor(metrics: Metrics) {
    const messages = metrics.counter(
      'longcode_sip_messages_total',
      'SIP messages received, by transport and outcome',
      ['transport', 'outcome'],
    )
    const calls = metrics.counter(
      'longcode_calls_total',
      'Calls answered; repetitions are not counted except under overload',
      ['answer'],
    )
    const ofTransport = (transport: string) =>
      cellsOf(OUTCOMES, (outcome) => messages.cell(transport, outcome))
    this.#messages = cellsOf(TRANSPORTS, ofTransport)
    this.calls = cellsOf(CALL_ANSWERS, (answer) => calls.cell(answer))
  }

  /** Over the limit of its trunk: not read. */
  drop({ transport }: Pick<Source, 'transport'>): void {
    this.#messages[transport].dropped.value += 1
  }

  /** Null: from a stranger. */
  count({ transport }: Pick<Source, 'transport'>, outcome: SipOutcome | null): void {
    this.#messages[transport][outcome?.kind ?? 'stranger'].value += 1
  }
}

const LIMIT_FAULTS: ReadonlySet<string | null> = new Set<LimitFault>([
  'number limit',
  'account limit',
  'balance',
])

/** The kind of answer to an INVITE. */
export function callAnswer({
  status,
  number,
  why,
}: Pick<SipAnswer, 'status' | 'number' | 'why'>): CallAnswer {
  if (status === 302) return 'redirected'
  if (status === 503) return 'overload'
  if (LIMIT_FAULTS.has(why)) return 'limited'
  if (number !== null) return 'refused'
  return status === 404 ? 'unknown' : 'invalid'
}

function cellsOf<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>
}
