// Replaces common Unicode symbols with GSM-7 characters that read the same, so one curly quote does not more than
// double the price of a text. It is all or nothing: if one character has no equivalent, the text must be sent as
// UCS-2 anyway, and then it is sent exactly as written.

import { FOLDING_GROUPS } from './folding-table.js'
import { GSM7_CHARACTERS, isGsm7, septetsOf, septetsOfUnit } from './gsm7.js'

export interface Fold {
  from: string
  to: string
  count: number
}

export interface FoldedText {
  text: string
  /** What was replaced, in order of first appearance. Empty if the text is unchanged. */
  folded: readonly Fold[]
}

export const NOTHING_FOLDED: readonly Fold[] = Object.freeze([])

const FULL_WIDTH_START = 0xff01 // `！`, the full-width twin of `!` (0x21)
const FULL_WIDTH_END = 0xff5e // `～`

const FOLDS = buildFolds()
const COMPOSITIONS = buildCompositions()

export function foldText(text: string): FoldedText {
  const fit = isGsm7(text) ? null : foldToGsm7(text)
  return fit ? { text: fit.text, folded: fit.folded } : { text, folded: NOTHING_FOLDED }
}

/**
 * Null means that some character has no equivalent, so nothing may be replaced. The septets of the result are
 * counted on the way, because reading a freshly joined string again would double the time.
 */
export function foldToGsm7(text: string): (FoldedText & { septets: number }) | null {
  const folded: Fold[] = []
  let septets = 0
  let result = ''
  let copied = 0 // everything before this index is already in the result
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const cost = septetsOfUnit(unit)
    septets += cost
    if (cost > 0) continue

    let from = text[i]!
    let to = FOLDS.get(unit)
    if (to === undefined && i > copied) {
      // An `e` and a combining acute are one `é`: Apple's file names and some keyboards write it this way.
      from = text.slice(i - 1, i + 1)
      to = COMPOSITIONS.get(from)
    }
    if (to === undefined) return null

    const start = i + 1 - from.length
    result += text.slice(copied, start) + to
    septets += septetsOf(to)! - (i - start) // the letter before a combining mark was counted
    copied = i + 1
    countFold(folded, from, to)
  }
  return { text: result + text.slice(copied), folded, septets }
}

/** Whether a text is invisible: only white space, controls, and zero-width characters. */
export function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const shown = FOLDS.get(text.charCodeAt(i)) ?? text[i]!
    if (shown.trim() !== '') return false
  }
  return true
}

function countFold(folded: Fold[], from: string, to: string): void {
  for (const fold of folded) {
    if (fold.from !== from) continue
    fold.count += 1
    return
  }
  folded.push({ from, to, count: 1 })
}

function buildFolds(): Map<number, string> {
  const folds = new Map<number, string>()
  for (const [to, characters] of FOLDING_GROUPS) {
    for (const character of characters) folds.set(character.charCodeAt(0), to)
  }
  for (let unit = FULL_WIDTH_START; unit <= FULL_WIDTH_END; unit++) {
    const ascii = String.fromCharCode(unit - FULL_WIDTH_START + 0x21)
    folds.set(unit, folds.get(ascii.charCodeAt(0)) ?? ascii)
  }
  return folds
}

function buildCompositions(): Map<string, string> {
  const accented = GSM7_CHARACTERS.filter((character) => character.normalize('NFD').length === 2)
  return new Map(accented.map((character) => [character.normalize('NFD'), character]))
}
