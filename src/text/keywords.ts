// What a reply means: STOP, START, HELP, or none of them. Only a whole body counts as a keyword. "please stop
// texting me" is handled in refusals.ts, because acting on it is the campaign's choice.

export interface Keywords {
  optout: readonly string[]
  optin: readonly string[]
  help: readonly string[]
}

export type KeywordKind = keyof Keywords

/** Their names on the wire, whatever words a campaign uses for them. */
export const KEYWORD_NAMES = { optout: 'STOP', optin: 'START', help: 'HELP' } as const
export type KeywordName = (typeof KEYWORD_NAMES)[KeywordKind]

export const DEFAULT_KEYWORDS: Keywords = {
  optout: [
    'STOP',
    'STOPALL',
    'STOP ALL',
    'UNSUBSCRIBE',
    'CANCEL',
    'END',
    'QUIT',
    'REVOKE',
    'OPTOUT',
    'OPT OUT',
    'OPT-OUT',
  ],
  optin: ['START', 'YES', 'UNSTOP'],
  help: ['HELP', 'INFO'],
}

/** The words that 47 CFR 64.1200(a)(10) defines as an opt-out, whatever a campaign configures. */
export const FCC_OPTOUT_WORDS: readonly string[] = [
  'STOP',
  'QUIT',
  'END',
  'REVOKE',
  'OPT OUT',
  'CANCEL',
  'UNSUBSCRIBE',
]

const FCC_OPTOUTS: ReadonlySet<string> = new Set(FCC_OPTOUT_WORDS)

// Format characters, controls, and variation selectors, which phones add invisibly. Line breaks and tabs are
// controls, too, but separate words. U+FEFF is white space to JavaScript, but separates nothing.
const UNSEEN = /(?![^\S\ufeff])(?:\p{Cf}|\p{Cc}|\p{Variation_Selector})/gu
// From the first letter or digit to the last. Written to stay linear in long bodies, unlike cutting off the end
// with `+$`.
const BARE = /[\p{L}\p{N}](?:.*[\p{L}\p{N}\p{M}])?/su

/**
 * The form in which keywords are compared: uppercase, normal width, single spaces, and nothing around the words. A
 * keyword of symbols alone (`?`, a thumb) keeps them.
 */
export function foldKeyword(text: string): string {
  const plain = text.normalize('NFKC').replace(UNSEEN, '').replace(/\s+/g, ' ').trim()
  return (BARE.exec(plain)?.[0] ?? plain).toUpperCase()
}

/** The legally required words win over any list, and opt-out wins if lists overlap. */
export function matchKeyword(body: string, keywords: Keywords): KeywordKind | null {
  const word = foldKeyword(body)
  if (word === '') return null
  if (FCC_OPTOUTS.has(word) || hasKeyword(keywords.optout, word)) return 'optout'
  if (hasKeyword(keywords.optin, word)) return 'optin'
  return hasKeyword(keywords.help, word) ? 'help' : null
}

/** The legally required words that a list of opt-out keywords lacks. */
export function missingOptoutKeywords(optoutKeywords: readonly string[]): string[] {
  return FCC_OPTOUT_WORDS.filter((word) => !hasKeyword(optoutKeywords, word))
}

function hasKeyword(keywords: readonly string[], word: string): boolean {
  return keywords.some((keyword) => foldKeyword(keyword) === word)
}
