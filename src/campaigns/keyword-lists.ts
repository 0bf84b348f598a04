// The rules for keyword lists: the words required by law stay, and a word means one thing.

import { echo, fieldRefusal } from '../kit/contract/refusal.js'
import { foldKeyword, missingOptoutKeywords } from '../text/keywords.js'
import type { Campaign } from './campaign.js'

export const KEYWORDS_MAX = 30
export const KEYWORD_LENGTH_MAX = 30

const LISTS = ['optoutKeywords', 'optinKeywords', 'helpKeywords'] as const

type KeywordLists = Pick<Campaign, (typeof LISTS)[number]>

/** Trimmed, each word once. Words that fold to the same form are the same word. */
export function normalizeKeywords(keywords: readonly string[]): string[] {
  const unique = new Map<string, string>()
  for (const keyword of keywords) {
    const folded = foldKeyword(keyword)
    if (!unique.has(folded)) unique.set(folded, keyword.trim())
  }
  return [...unique.values()]
}

export function checkKeywordLists(lists: KeywordLists): void {
  const missing = missingOptoutKeywords(lists.optoutKeywords)
  if (missing.length > 0) {
    throw fieldRefusal(
      'optoutKeywords',
      `must include ${missing.join(', ')}: 47 CFR 64.1200(a)(10) makes these an opt-out`,
    )
  }
  const owners = new Map<string, string>()
  for (const list of LISTS) {
    for (const keyword of lists[list]) {
      const folded = foldKeyword(keyword)
      if (folded === '') throw fieldRefusal(list, 'must not contain an empty keyword')
      const owner = owners.get(folded)
      if (owner !== undefined) {
        throw fieldRefusal(
          list,
          `cannot contain ${echo(keyword)}, because it is already in ${owner}`,
        )
      }
      owners.set(folded, list)
    }
  }
}
