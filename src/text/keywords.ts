// What a reply means: STOP, START, HELP, or nothing of the kind. Only a whole body counts as a
// keyword; "please stop texting me" is recognised apart, because acting on it is the campaign's
// choice.

export interface Keywords {
  optout: readonly string[]
  optin: readonly string[]
  help: readonly string[]
}

export type KeywordKind = keyof Keywords

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

/** The words that 47 CFR 64.1200(a)(10) makes an opt-out whatever a campaign says. */
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

// Format characters, controls and variation selectors: phones add them unseen. Line breaks and tabs
// are controls too, but separate words; U+FEFF is white space to JavaScript, but separates nothing.
const UNSEEN = /(?![^\S\ufeff])(?:\p{Cf}|\p{Cc}|\p{Variation_Selector})/gu
// From the first letter or digit to the last. Written so that it stays linear in long bodies, where
// cutting off the end with `+$` would not.
const BARE = /[\p{L}\p{N}](?:.*[\p{L}\p{N}\p{M}])?/su

/**
 * The form in which keywords are compared: capitals, plain width, single spaces, and nothing around
 * the words. A keyword of symbols alone (`?`, a thumb) keeps them.
 */
export function foldKeyword(text: string): string {
  const plain = text.normalize('NFKC').replace(UNSEEN, '').replace(/\s+/g, ' ').trim()
  return (BARE.exec(plain)?.[0] ?? plain).toUpperCase()
}

/** The law's words win over any list, and opt-out wins where lists overlap. */
export function matchKeyword(body: string, keywords: Keywords): KeywordKind | null {
  const word = foldKeyword(body)
  if (word === '') return null
  if (FCC_OPTOUTS.has(word) || hasKeyword(keywords.optout, word)) return 'optout'
  if (hasKeyword(keywords.optin, word)) return 'optin'
  return hasKeyword(keywords.help, word) ? 'help' : null
}

/** The words of the law that a list of opt-out keywords lacks. */
export function missingOptoutWords(optoutKeywords: readonly string[]): string[] {
  return FCC_OPTOUT_WORDS.filter((word) => !hasKeyword(optoutKeywords, word))
}

function hasKeyword(keywords: readonly string[], word: string): boolean {
  return keywords.some((keyword) => foldKeyword(keyword) === word)
}

// Politeness around a bare request: with these taken away, only words of STOP_WORDS may remain.
const FILLERS: ReadonlySet<string> = new Set(
  `PLEASE PLS PLZ KINDLY HOW DO CAN THANKS THANK YOU THX OK OKAY HI HELLO HEY NOW JUST IT THIS THAT
   IMMEDIATELY I WANT NEED WOULD LIKE TO ME US FROM THESE THE YOUR ALL LIST
   TEXT TEXTS MESSAGE MESSAGES MSG MSGS SMS SPAM`.split(/\s+/),
)

// CANCEL and END are missing on purpose: "please cancel" is more often about an appointment.
const STOP_WORDS: ReadonlySet<string> = new Set([
  'STOP',
  'STOPALL',
  'UNSUBSCRIBE',
  'OPTOUT',
  'REVOKE',
])

const NEGATED =
  /\b(DONT|DO NOT|DIDNT|DID NOT|NEVER|CANT|CANNOT|CAN NOT|WONT|WILL NOT) (EVER )?STOP\b/

// Each names the sender's texting itself, so that "stop by the store" and "remove the tag" pass.
const REQUESTS: readonly RegExp[] = [
  /\b(STOP|QUIT|CEASE) (TEXTING|MESSAGING|CONTACTING|SPAMMING|HARASSING|BOTHERING|WRITING)\b/,
  /\b(STOP|QUIT) SENDING (ME |US )?(\w+ )?(TEXTS?|MESSAGES?|MSGS?|SMS|SPAM|THESE|THIS)\b/,
  /\b(STOP|END|CANCEL) (ALL |THE |THESE |YOUR )+(TEXTS?|MESSAGES?|MSGS?|SMS|SPAM)\b/,
  /\b(DONT|DO NOT|NEVER) (EVER )?(TEXT|MESSAGE|CONTACT|WRITE) (TO )?(ME|US|THIS NUMBER)( (AGAIN|ANYMORE|ANY MORE|EVER|PLEASE)\b|$)/,
  /\bNO MORE (TEXTS?|MESSAGES?|MSGS?|SMS|SPAM)\b/,
  /\b(TAKE|GET) (ME|US|MY NUMBER|THIS NUMBER) OFF\b/,
  /\b(REMOVE|DELETE) (ME|US|MY NUMBER|THIS NUMBER)\b/,
  /\b(UNSUBSCRIBE (ME|US)|OPT (ME|US) OUT|OPTOUT (OF|FROM)|OPTING OUT)\b/,
  /\b(REVOKE|WITHDRAW) (MY )?CONSENT\b/,
  /\bLOSE (MY|THIS) NUMBER\b/,
]

/**
 * Says whether the body asks in other words to be left alone. Errs on the side of no: it is meant
 * for English replies, and a miss can still be answered by a person.
 */
export function looksLikeOptout(body: string): boolean {
  const text = plainWords(body)
  if (text === '' || NEGATED.test(text)) return false
  return isPoliteStop(text) || REQUESTS.some((request) => request.test(text))
}

function isPoliteStop(text: string): boolean {
  const words = text.split(' ').filter((word) => !FILLERS.has(word))
  return words.length > 0 && words.every((word) => STOP_WORDS.has(word))
}

function plainWords(body: string): string {
  return foldKeyword(body)
    .replace(/['’‘ʼ`´]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/\bOPT OUT\b/g, 'OPTOUT')
    .trim()
}
