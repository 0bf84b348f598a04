// What alerts about deliveries say: what happened, and what to do.

import { type ErrorCode, MESSAGE_ERRORS } from '../messages/message-errors.js'
import type { Measure } from './measure.js'

const NETWORK_NAMES: Readonly<Record<string, string>> = {
  att: 'AT&T',
  tmo: 'T-Mobile',
  other: 'Verizon and other carriers',
  all: 'Several carriers or campaigns',
}

interface Texts {
  whatHappened: string
  whatToDo: string
}

/** `name`: of the campaign. Null: it is about a carrier. */
export function describeDelivery(
  { subject, name }: { subject: string; name: string | null },
  { finished, rate, normalRate }: Measure,
  errors: readonly { code: number; count: number }[],
): Texts {
  const [worst] = errors
  const who = name === null ? (NETWORK_NAMES[subject] ?? subject) : `Campaign ${name}`
  const reason = worst
    ? ` Most frequent error: ${worst.code} (${describeCode(worst.code)}), ${count(worst.count)} messages.`
    : ''
  return {
    whatHappened: `${who}: ${percent(rate)} of ${count(finished)} finished messages were delivered. Normal is ${percent(normalRate)}.${reason}`,
    whatToDo: `${remedyOf(worst?.code)} Pause large sends until the rate is back to normal.`,
  }
}

export function describeSpike(code: number, failed: number, finished: number): Texts {
  return {
    whatHappened: `Error ${code} (${describeCode(code)}): ${count(failed)} of ${count(finished)} finished messages, ${percent(failed / finished)}.`,
    whatToDo: remedyOf(code),
  }
}

function describeCode(code: number): string {
  const text = MESSAGE_ERRORS[code as ErrorCode]?.text ?? 'unknown'
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function remedyOf(code: number | undefined): string {
  const known = code === undefined ? undefined : MESSAGE_ERRORS[code as ErrorCode]
  return known?.remedy ?? 'Open the failed messages and check their error codes.'
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`
}

export function count(number: number): string {
  return number.toLocaleString('en-US')
}
