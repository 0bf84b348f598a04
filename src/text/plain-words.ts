// Reduces a text message to plain words, however it was typed. Case, accents, width, emoji, s p a c e d letters,
// st0p, stoooop, STOPTEXTINGME, and common typos become the same few words, in clauses. Pure and linear: the body
// is cut to a length that no honest request exceeds.

import { distanceOf } from '../kit/contract/nearest-name.js'
import { ALIASES, ANY_PHRASE, FILLERS, GLUED, PHRASES } from './refusal-words.js'

export interface Clause {
  /** Canonical words, separated by single spaces. */
  words: string
  /** The same without politeness, swearing, and emphasis. */
  lean: string
  /** Preceded by a period, question mark, exclamation mark, or line break. */
  isSentence: boolean
  /** Written in capitals in a message that is not. */
  isShouted: boolean
  /** Its last word is. */
  endsShouted: boolean
}

const LENGTH_MAX = 1_600

const UNSEEN = /(?![^\S\ufeff])(?:\p{Cf}|\p{Cc})/gu
const APOSTROPHES = /['’‘ʼ`´]/g
const STOP_SIGNS = /[🛑⛔🚫📵]/gu
const LAUGHTER = /[😂🤣😆😅😹]/gu
// Three or more separate letters: "S T O P", "s.t.o.p", "S-T-O-P".
const SPELLED = /(?<![\p{L}\p{N}])\p{L}(?:[\s.,\-_*]{1,3}\p{L}(?![\p{L}\p{N}])){2,}/gu
const INNER_STARS = /(?<=\p{L})\*+(?=\p{L})/gu
const INNER_DASHES = /(?<=\p{L})[-_](?=\p{L})/gu
const PIECES = /[\p{L}\p{N}]+|[.!?;:,…\n\r()|/—–-]+/gu
const SENTENCE_END = /[.!?…\n\r]/

/** The clauses of a body, in their order. */
export function clausesOf(body: string): Clause[] {
  const pieces = plainText(body).match(PIECES) ?? []
  const hasSmall = pieces.some((piece) => /\p{Ll}/u.test(piece))
  const clauses: Clause[] = []
  let words: string[] = []
  let isShouted = hasSmall
  let endsShouted = false
  let isSentence = true
  const close = (endsSentence: boolean): void => {
    for (const [at, part] of readClause(words).entries()) {
      clauses.push({ ...part, isSentence: isSentence && at === 0, isShouted, endsShouted })
    }
    // "Stop!," and "stop. - thanks" end a sentence, too.
    isSentence = words.length === 0 ? isSentence || endsSentence : endsSentence
    words = []
    isShouted = hasSmall
  }
  for (const piece of pieces) {
    if (!/[\p{L}\p{N}]/u.test(piece)) {
      close(SENTENCE_END.test(piece))
      continue
    }
    endsShouted = hasSmall && piece === piece.toUpperCase()
    if (!endsShouted) isShouted = false
    words.push(...canonical(piece.toLowerCase()))
  }
  close(true)
  return isHammered(clauses) ? [hammered(clauses)] : clauses
}

/** "Leave. Me. Alone." is one clause. */
function isHammered(clauses: readonly Clause[]): boolean {
  return clauses.length > 2 && clauses.every((one) => one.isSentence && !one.words.includes(' '))
}

function hammered(clauses: readonly Clause[]): Clause {
  const words = clauses.map((clause) => clause.words).join(' ')
  return { ...clauses[0]!, words, lean: leanOf(words) }
}

function plainText(body: string): string {
  return body
    .slice(0, LENGTH_MAX)
    .normalize('NFKC')
    .slice(0, LENGTH_MAX)
    .replace(UNSEEN, '')
    .replace(STOP_SIGNS, ' STOP ')
    .replace(LAUGHTER, ' haha ')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(APOSTROPHES, '')
    .replace(/\$(?=\p{L})/gu, 'S')
    .replace(/!1+/g, '!')
    .replace(/&/g, ' and ')
    .replace(/\bwrong ?#/gi, 'wrong number')
    .replace(/\bw\//gi, 'with ')
    .replace(INNER_STARS, '')
    .replace(SPELLED, (letters) => letters.replace(/\P{L}/gu, ''))
    .replace(INNER_DASHES, ' ')
}

const LEET: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }

/** What a word means. Several if words were run together. */
function canonical(word: string): string[] {
  const short = word.replace(/(\p{L})\1{2,}/gu, '$1') // stooop
  const alias = ALIASES.get(short)
  if (alias !== undefined) return [alias]
  if (/\d/.test(short) && /\p{L}/u.test(short)) {
    const letters = ALIASES.get(short.replace(/[013457]/g, (digit) => LEET[digit]!))
    if (letters !== undefined) return [letters]
  }
  if (isUnsubscribe(short)) return ['unsubscribe']
  return unglue(short) ?? [short]
}

/** Long words, longest first: "stoptextingme", "stop2end". Null if something is left over. */
function unglue(word: string): string[] | null {
  if (word.length < 6 || word.length > 40 || !/stop|quit|remove|leave|unsub|text/.test(word)) {
    return null
  }
  const found: string[] = []
  for (let at = 0; at < word.length; ) {
    const part = GLUED.find((candidate) => word.startsWith(candidate, at))
    if (part === undefined) return null
    found.push(ALIASES.get(part) ?? part)
    at += part.length
  }
  return found.length > 1 ? found : null
}

const UNSUBSCRIBE = 'unsubscribe'
/** Two typos are allowed in a word this long. "unsubscribed" is not a request and stays unchanged. */
function isUnsubscribe(word: string): boolean {
  if (!word.startsWith('u') || Math.abs(word.length - UNSUBSCRIBE.length) > 2) return false
  return !/(ed|es|ers?|ing)$/.test(word) && distanceOf(word, UNSUBSCRIBE) <= 2
}

/** Phrases become one word, and "so", "and", "but" start a new clause. */
function readClause(words: readonly string[]): Pick<Clause, 'words' | 'lean'>[] {
  let text = words.join(' ')
  if (ANY_PHRASE.test(text)) {
    for (const [saying, meaning] of PHRASES) text = text.replace(saying, meaning)
  }
  return text
    .split(/,|\b(?:so|and|but|because|y|pero|porque|asi que|entonces)\b/)
    .map((part) => part.trim().replace(/ {2,}/g, ' '))
    .filter((part) => part !== '')
    .map((part) => ({ words: part, lean: leanOf(part) }))
}

function leanOf(text: string): string {
  return text
    .split(' ')
    .filter((word) => !FILLERS.has(word))
    .join(' ')
}
