// The keyword form's fields, and which keywords the law requires.

import type { Campaign } from '../../../generated/types.gen'

export const KINDS = [
  {
    kind: 'optout',
    label: 'Opt-out',
    what: 'Anyone who texts one of these gets this reply once, then no more messages.',
  },
  { kind: 'optin', label: 'Opt-in', what: 'Cancels an opt-out.' },
  { kind: 'help', label: 'Help', what: 'States who you are and how to get help.' },
] as const

export interface KeywordValues {
  optoutKeywords: string[]
  optinKeywords: string[]
  helpKeywords: string[]
  /** Empty: the default. */
  optoutMessage: string
  optinMessage: string
  helpMessage: string
  actsOnNearOptout: boolean
}

export function keywordValues({ details, actsOnNearOptout }: Campaign): KeywordValues {
  const { optoutKeywords, optinKeywords, helpKeywords } = details
  const { optoutMessage, optinMessage, helpMessage } = details
  return {
    optoutKeywords,
    optinKeywords,
    helpKeywords,
    optoutMessage,
    optinMessage,
    helpMessage,
    actsOnNearOptout,
  }
}

export function keywordBody(values: KeywordValues) {
  return {
    ...values,
    optoutMessage: values.optoutMessage.trim() || null,
    optinMessage: values.optinMessage.trim() || null,
    helpMessage: values.helpMessage.trim() || null,
  }
}

/** 47 CFR 64.1200(a)(10) makes these opt-outs regardless of a campaign's settings. */
const LOCKED = new Set(['STOP', 'QUIT', 'END', 'REVOKE', 'OPT OUT', 'CANCEL', 'UNSUBSCRIBE'])

export function isLocked(word: string): boolean {
  return LOCKED.has(fold(word))
}

/** Two spellings of one keyword count as one. */
export function isSameWord(one: string, other: string): boolean {
  return fold(one) === fold(other)
}

function fold(word: string): string {
  return word.normalize('NFKC').replace(/\s+/g, ' ').trim().toUpperCase()
}
