// What the judge compares: what everyone outside of the service saw, and the state of the service at one moment.

import type { Fragment, Refused, Taken } from '../carrier.js'
import type { Counters } from '../counters.js'
import type { Facts, MessageFact } from '../facts.js'
import type { Journal, Wanted } from '../journal.js'

export interface Evidence {
  journal: Pick<Journal, 'wanted' | 'stopped' | 'inbound' | 'contradictions' | 'faults'>
  facts: Facts
  /** Of all carriers, read after the facts: what the service knows of a carrier, the carrier did before. */
  taken: readonly Taken[]
  fragments: readonly Fragment[]
  refused: readonly Refused[]
  /** By account. Null while the service works. */
  counters: ReadonlyMap<string, Counters> | null
  /** The facts contain everything that was acknowledged before. Infinity: all work has finished. */
  cutoffMs: number
  /** How far the clock of the service was moved ahead. */
  clockAheadMs: number
}

/** A kind of finding, with a line for each case. Empty if all is well. */
export type Finding = [kind: string, cases: string[]]

/** An outbound message that a client requested, and that request. */
export interface Asked {
  message: MessageFact
  wanted: Wanted
}

export function isAtRest({ cutoffMs }: Evidence): boolean {
  return cutoffMs === Number.POSITIVE_INFINITY
}

export function isAsked({ direction, automatic }: MessageFact): boolean {
  return direction === 'OUTBOUND' && automatic === null
}

export function askedOf({ facts, journal }: Evidence): Asked[] {
  const wantedByText = new Map(journal.wanted.map((wanted) => [wanted.text, wanted]))
  return facts.messages.filter(isAsked).flatMap((message) => {
    const wanted = wantedByText.get(message.body)
    return wanted ? [{ message, wanted }] : []
  })
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

export function describe({ id, peer, status, errorCode, entries }: MessageFact): string {
  const error = errorCode === null ? '' : ` ${errorCode}`
  return `${id} to ${peer}: ${status}${error} (${entries.join(', ')})`
}

/** Whether a fragment is a part of this message. */
export function isPartOf(
  { text, to }: { text: string; to: string },
  message: MessageFact,
): boolean {
  return to === message.peer && message.body.includes(text)
}

export function isStop({ text }: { text: string }): boolean {
  return /^stop/i.test(text)
}
