// How long a text is on the air, and how it is split. A segment is 140 bytes: 160 GSM-7 septets or 70 UCS-2 units.
// The bill uses the contract's flat count. A carrier transmits parts, which are smaller because each has a six-byte
// header (05 00 03 ref total seq).

import { type Fold, foldText, foldToGsm7, NOTHING_FOLDED } from './folding.js'
import { isGsm7, septetsOf, septetsOfUnit } from './gsm7.js'

/** The longest text of a message, in characters. */
export const BODY_LENGTH_MAX = 1500

type Encoding = 'GSM-7' | 'UCS-2'

/** `flat160` divides the text by whole segments; `parts` counts what carriers transmit. */
export type Counting = 'flat160' | 'parts'

export interface TextMeasure {
  encoding: Encoding
  /** Septets in GSM-7, UTF-16 units in UCS-2. */
  units: number
  segments: number
  parts: number
}

export interface PreparedText {
  text: string
  encoding: Encoding
  segments: number
  parts: number
  folded: readonly Fold[]
}

const UNITS_MAX: Record<Encoding, number> = { 'GSM-7': 160, 'UCS-2': 70 }
const PART_UNITS_MAX: Record<Encoding, number> = { 'GSM-7': 153, 'UCS-2': 67 }

/** Everything the send path needs at once: the text to send and what it costs. */
export function prepareText(text: string, counting: Counting = 'flat160'): PreparedText {
  const septets = septetsOf(text)
  if (septets !== null) return prepared(text, NOTHING_FOLDED, measureGsm7(text, septets, counting))

  const fit = foldToGsm7(text)
  const folded = fit && measureGsm7(fit.text, fit.septets, counting)
  if (folded?.segments === 1) return prepared(fit!.text, fit!.folded, folded)

  // A text full of signs that fold to several characters would cost more than unfolded.
  const sendable = withoutBrokenUnits(text)
  const unfolded = measureText(sendable, counting)
  return folded && folded.segments <= unfolded.segments
    ? prepared(fit!.text, fit!.folded, folded)
    : prepared(sendable, NOTHING_FOLDED, unfolded)
}

/** Measures the text without folding. An empty text still takes one segment to send. */
export function measureText(text: string, counting: Counting = 'flat160'): TextMeasure {
  const septets = septetsOf(text)
  if (septets !== null) return measureGsm7(text, septets, counting)
  return measured('UCS-2', text.length, countUcs2Parts(text), counting)
}

export interface SegmentFill {
  /** GSM-7 septets or UTF-16 units: in the whole text, in a full segment, in the last one. */
  units: number
  perSegment: number
  inLast: number
}

/** How full the segments of a text are, without folding, to show while writing. */
export function fillOf(text: string, counting: Counting = 'flat160'): SegmentFill {
  const { encoding, units, segments } = measureText(text, counting)
  if (segments === 1) return { units, perSegment: UNITS_MAX[encoding], inLast: units }
  if (counting === 'flat160') {
    const perSegment = UNITS_MAX[encoding]
    return { units, perSegment, inLast: units - (segments - 1) * perSegment }
  }
  const last = splitParts(text).at(-1)!
  const inLast = encoding === 'GSM-7' ? septetsOf(last)! : last.length
  return { units, perSegment: PART_UNITS_MAX[encoding], inLast }
}

/**
 * Splits the text, without folding, into the parts of a long message. A pair of septets or surrogates stays
 * together. A character made of several code points may be split, because phones join the parts before they display
 * them.
 */
export function splitParts(text: string): string[] {
  const encoding: Encoding = isGsm7(text) ? 'GSM-7' : 'UCS-2'
  return measureText(text).parts === 1 ? [text] : cutText(text, encoding, PART_UNITS_MAX[encoding])
}

/** The same for parts of any size, such as those of links with longer headers. */
export function cutText(text: string, encoding: Encoding, unitsMax: number): string[] {
  const partEnd = encoding === 'GSM-7' ? gsm7PartEnd : ucs2PartEnd
  const parts: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = partEnd(text, start, unitsMax)
    parts.push(text.slice(start, end))
    start = end
  }
  return parts
}

/**
 * The visible characters that force UCS-2: without them, the rest would fold. Each once, in order. Empty if the
 * text fits GSM-7. For previews only, because it takes some 100 times longer than prepareText.
 */
export function ucs2Culprits(text: string): string[] {
  if (isGsm7(text)) return []
  const culprits = new Set<string>()
  for (const { segment } of new Intl.Segmenter('en').segment(text.toWellFormed())) {
    if (!isGsm7(foldText(segment).text)) culprits.add(segment)
  }
  return [...culprits]
}

/** The text without these visible characters. The rest stays exactly as it is. */
export function withoutCharacters(text: string, characters: readonly string[]): string {
  const unwanted = new Set(characters)
  const seen = [...new Intl.Segmenter('en').segment(text)]
  return seen
    .filter(({ segment }) => !unwanted.has(segment))
    .map(({ segment }) => segment)
    .join('')
}

function prepared(text: string, folded: readonly Fold[], measure: TextMeasure): PreparedText {
  const { encoding, segments, parts } = measure
  return { text, encoding, segments, parts, folded }
}

function measureGsm7(text: string, septets: number, counting: Counting): TextMeasure {
  return measured('GSM-7', septets, countGsm7Parts(text, septets), counting)
}

function measured(
  encoding: Encoding,
  units: number,
  parts: number,
  counting: Counting,
): TextMeasure {
  const flat = Math.max(1, Math.ceil(units / UNITS_MAX[encoding]))
  return { encoding, units, segments: counting === 'parts' ? parts : flat, parts }
}

function countGsm7Parts(text: string, septets: number): number {
  if (septets <= UNITS_MAX['GSM-7']) return 1
  const hasPairs = septets > text.length
  return hasPairs ? countCuts(text, gsm7PartEnd) : Math.ceil(septets / PART_UNITS_MAX['GSM-7'])
}

function countUcs2Parts(text: string): number {
  return text.length <= UNITS_MAX['UCS-2'] ? 1 : countCuts(text, ucs2PartEnd)
}

function countCuts(text: string, partEnd: typeof ucs2PartEnd): number {
  let parts = 0
  for (let start = 0; start < text.length; start = partEnd(text, start)) parts += 1
  return parts
}

function gsm7PartEnd(text: string, start: number, unitsMax = PART_UNITS_MAX['GSM-7']): number {
  let free = unitsMax
  let end = start
  while (end < text.length) {
    free -= septetsOfUnit(text.charCodeAt(end)) || 1
    if (free < 0) break
    end += 1
  }
  return end
}

function ucs2PartEnd(text: string, start: number, unitsMax = PART_UNITS_MAX['UCS-2']): number {
  const end = Math.min(start + unitsMax, text.length)
  const isPairCut = end < text.length && text.codePointAt(end - 1)! > 0xffff
  return isPairCut ? end - 1 : end
}

/** Half surrogate pairs cannot be encoded as UTF-8, and PostgreSQL does not store U+0000. */
export function withoutBrokenUnits(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
