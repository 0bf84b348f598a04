// What came by SIP and what calls were told, as counters: each is one addition.

import type { Cell, Metrics } from '../kit/metrics.js'
import type { Answered, LimitFault, Outcome } from '../sip/answer/answer-message.js'
import type { Source } from '../sip/message/via.js'

const TRANSPORTS = ['udp', 'tcp', 'tls'] as const
/** `stranger`: from a source that no trunk names; by TCP and TLS, a connection that was closed for it. */
const OUTCOMES = ['answered', 'ignored', 'ping', 'nonsense', 'stranger', 'dropped'] as const
/** `refused`: one of our numbers, and no target; `limited`: more calls than its number or account may have, or can pay; `invalid`: what names no number, or asks for what we cannot do. */
const CALL_ANSWERS = ['redirected', 'refused', 'limited', 'unknown', 'invalid', 'overload'] as const
export type CallAnswer = (typeof CALL_ANSWERS)[number]

type Cells<Name extends string> = Record<Name, Cell>

export class SipMeter {
  readonly #messages: Record<Source['transport'], Cells<(typeof OUTCOMES)[number]>>
  readonly calls: Cells<CallAnswer>

  constructor(metrics: Metrics) {
    const messages = metrics.counter(
      'longcode_sip_messages_total',
      'Messages that came by SIP, by transport and what became of them',
      ['transport', 'outcome'],
    )
    const calls = metrics.counter(
      'longcode_calls_total',
      'Calls answered, repetitions left out except under overload',
      ['answer'],
    )
    const ofTransport = (transport: string) =>
      cellsOf(OUTCOMES, (outcome) => messages.cell(transport, outcome))
    this.#messages = cellsOf(TRANSPORTS, ofTransport)
    this.calls = cellsOf(CALL_ANSWERS, (answer) => calls.cell(answer))
  }

  /** More than its trunk may send: not read. */
  drop({ transport }: Pick<Source, 'transport'>): void {
    this.#messages[transport].dropped.value += 1
  }

  /** Null: from a stranger. */
  count({ transport }: Pick<Source, 'transport'>, outcome: Outcome | null): void {
    this.#messages[transport][outcome?.kind ?? 'stranger'].value += 1
  }
}

const LIMIT_FAULTS: ReadonlySet<string | null> = new Set<LimitFault>([
  'number limit',
  'account limit',
  'balance',
])

/** What an INVITE was told. */
export function callAnswer({
  status,
  number,
  why,
}: Pick<Answered, 'status' | 'number' | 'why'>): CallAnswer {
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
