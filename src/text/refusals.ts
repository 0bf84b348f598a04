// Detects opt-outs in free text: "please stop texting me", "no thanks, unsubscribe", "no me escriban más". By law,
// any reasonable means is an opt-out (47 CFR 64.1200(a)(10)), and people do not read lists of keywords. A refusal
// either names what should end (texting, messages, being on the list), or is a bare stop that nothing next to it
// contradicts.

import { type Clause, clausesOf } from './plain-words.js'
import * as patterns from './refusal-patterns.js'

/** Whether the body refuses further messages, in English or Spanish. */
export function isRefusal(body: string): boolean {
  const clauses = clausesOf(body)
  if (clauses.some(({ words }) => patterns.FOOTER.test(words))) return false
  return (
    clauses.some(isRequest) ||
    isBareStop(clauses) ||
    endsInStop(clauses) ||
    asksForNoCalls(clauses) ||
    isThreat(clauses)
  )
}

let isWarm = false

/** Compiles the forms ahead, once. Otherwise the first text would wait for that inside its transaction. */
export function warmUp(): void {
  if (!isWarm) isRefusal('please stop by the store, i will be there at 8, stop')
  isWarm = true
}

function isRequest(clause: Clause): boolean {
  return (
    isUnsubscribing(clause) ||
    hasForm(patterns.ENGLISH, clause, patterns.SPOKEN_AGAINST) ||
    hasForm(patterns.SPANISH, clause, patterns.SPOKEN_AGAINST_SPANISH)
  )
}

function hasForm(forms: patterns.Forms, clause: Clause, spokenAgainst: RegExp): boolean {
  return forms.some(
    ({ any, each }) =>
      any.test(clause.lean) && each.some((form) => isMeant(form, clause, spokenAgainst)),
  )
}

/** The two words have no other use in a text. */
function isUnsubscribing({ lean }: Clause): boolean {
  return /\b(?:unsubscribe|optout)\b/.test(lean) && !patterns.KEEPS_SUBSCRIBED.test(lean)
}

function isMeant(form: RegExp, { lean, words }: Clause, spokenAgainst: RegExp): boolean {
  const match = form.exec(lean)
  if (!match) return false
  const before = lean.slice(0, match.index).trim()
  const after = lean.slice(match.index + match[0].length)
  if (patterns.LIMITED.test(after)) return false
  if (!patterns.NEGATED_VERB.test(match[0])) return !spokenAgainst.test(before)
  return !patterns.SUBJECT.test(before) && !patterns.FOR_NOW.test(words)
}

function asksForNoCalls(clauses: readonly Clause[]): boolean {
  return (
    clauses.some((clause) => hasForm(patterns.CALLS, clause, patterns.SPOKEN_AGAINST)) &&
    !clauses.some(({ lean }) => patterns.TEXT_INSTEAD.test(lean))
  )
}

/** "If you text me again I will call my lawyer." */
function isThreat(clauses: readonly Clause[]): boolean {
  const text = clauses.map(({ words }) => words).join(' ')
  return patterns.CONTACT_AGAIN.test(text) && patterns.THREAT.test(text)
}

/**
 * "Stop", alone or with words that agree with it. Next to other words it counts at the end: as a separate sentence,
 * politely, or in capitals. "Omg stop, you're too funny" does not.
 */
function isBareStop(clauses: readonly Clause[]): boolean {
  const bare = clauses.filter(isBare)
  if (bare.length === 0 || clauses.some(({ words }) => /\b(?:haha|omg)\b/.test(words))) return false
  const others = clauses.filter(
    (clause) => clause.lean !== '' && !patterns.isBeside(clause.lean) && !bare.includes(clause),
  )
  if (others.length === 0) return true
  const last = clauses.at(-1)!
  if (!bare.includes(last) || !/^(?:\w+ )*?stop(?:all)?\b/.test(last.lean)) return false
  const isApart = last.isShouted || last.isSentence || /\bplease\b/.test(last.words)
  return isApart && !others.some(({ lean }) => /^(?:i )?(?:dont|never|cant)$/.test(lean))
}

/** Without a comma: "this is a work phone please stop", "I don't know you STOP". */
function endsInStop(clauses: readonly Clause[]): boolean {
  const last = clauses.at(-1)
  if (!last || clauses.some(({ words }) => /\b(?:haha|omg)\b/.test(words))) return false
  if (/\bplease stop$/.test(last.words))
    return !/\b(?:to|dont|never|not) please stop$/.test(last.words)
  return last.endsShouted && / stop$/.test(last.words) && !patterns.NAMES_A_STOP.test(last.words)
}

function isBare({ lean }: Clause): boolean {
  let rest = lean
  for (let turns = 0; turns < 4; turns += 1) {
    if (patterns.BARE.some((form) => form.test(rest))) {
      return turns === 0 || !patterns.UNWISHED.test(rest)
    }
    const shorter = rest.replace(patterns.WISH, '')
    if (shorter === rest) return false
    rest = shorter
  }
  return false
}
