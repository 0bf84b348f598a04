// The states of a message at the carrier, as receipts and queries write them: as a number, or as a word in one of
// many dialects.

/** The position is the number in the specification. The first and the last are from 5.0. */
const STATES = [
  'SCHEDULED',
  'ENROUTE',
  'DELIVERED',
  'EXPIRED',
  'DELETED',
  'UNDELIVERABLE',
  'ACCEPTED',
  'UNKNOWN',
  'REJECTED',
  'SKIPPED',
] as const

export type MessageState = (typeof STATES)[number]

/** By prefix, because carriers shorten the words in different ways. */
const STATE_STARTS: readonly (readonly [start: string, state: MessageState])[] = [
  ['DELIV', 'DELIVERED'],
  ['DLVRD', 'DELIVERED'],
  ['UNDEL', 'UNDELIVERABLE'],
  ['FAIL', 'UNDELIVERABLE'],
  ['EXPIR', 'EXPIRED'],
  ['DELET', 'DELETED'],
  ['REJ', 'REJECTED'],
  ['ACCEP', 'ACCEPTED'],
  ['ACPTD', 'ACCEPTED'],
  ['ENROU', 'ENROUTE'],
  ['BUFF', 'ENROUTE'],
  ['SCHED', 'SCHEDULED'],
  ['SKIP', 'SKIPPED'],
  ['UNKN', 'UNKNOWN'],
]

/** Null for an undefined number. */
export function stateOfNumber(state: number): MessageState | null {
  return STATES[state] ?? null
}

export function numberOfState(state: MessageState): number {
  return STATES.indexOf(state)
}

/** Null for an unknown word, or for none. */
export function stateOfText(word: string): MessageState | null {
  if (/^\d$/.test(word)) return stateOfNumber(Number(word))
  const upper = word.toUpperCase()
  return STATE_STARTS.find(([start]) => upper.startsWith(start))?.[1] ?? null
}

/** Whether the state is final. */
export function isFinalState(state: MessageState): boolean {
  return state !== 'SCHEDULED' && state !== 'ENROUTE' && state !== 'ACCEPTED'
}
