// Advice on a text while it is written, computed from the service's count. Only characters are counted here.
// Segments, encoding, and price come from POST /v1/message/preview, so they match the bill.

import type { PreviewMessageReply } from '../../generated/types.gen'
import { formatCount, formatMoney, plural } from './format'

export type Preview = Omit<PreviewMessageReply, 'success' | 'warnings'>

export const BODY_MAX = 1_500
/** More segments than this are shown as one number. */
const DRAWN_MAX = 10
/** More distinct characters than this are a script, not a slip, so removing them is no help. */
const CULPRITS_MAX = 5

/** Code points, as the service counts its limit. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

export function isBlank(text: string): boolean {
  return text.replace(/[\s\u200b-\u200f\u2060\ufeff]/g, '') === ''
}

/** Removes exactly these characters as people see them, so an emoji sequence stays intact. */
export function removeCharacters(text: string, characters: readonly string[]): string {
  const unwanted = new Set(characters)
  const seen = [...new Intl.Segmenter('en').segment(text)]
  return seen
    .filter(({ segment }) => !unwanted.has(segment))
    .map(({ segment }) => segment)
    .join('')
}

/** How full each drawn segment is, 0 to 1, and how many are not drawn. */
export function drawSegments({ numSegments, fill }: Preview): { fills: number[]; more: number } {
  const drawn = Math.min(numSegments, DRAWN_MAX)
  const fills = Array.from({ length: drawn }, (_, i) =>
    fill && i === numSegments - 1 ? fill.inLast / fill.perSegment : 1,
  )
  return { fills, more: numSegments - drawn }
}

/** 2 segments · UCS-2 · $0.0158 */
export function describeSize({ type, numSegments, encoding, price }: Preview): string {
  const size = type === 'MMS' ? ['MMS'] : [plural(numSegments, 'segment'), encoding]
  return [...size, formatMoney(price)].join(' · ')
}

/** 41 of 70 in the last segment */
export function describeFill({ fill, numSegments }: Preview): string {
  if (!fill) return ''
  return `${fill.inLast} of ${fill.perSegment}${numSegments > 1 ? ' in the last segment' : ''}`
}

export interface Advice {
  kind: 'long' | 'unicode' | 'folded' | 'stop' | 'many'
  isWarning: boolean
  text: string
  /** What the button would remove. */
  removes?: { characters: readonly string[]; label: string }
  folds?: Preview['folded']
}

interface Written {
  body: string
  preview: Preview | null
  /** A first text of a marketing campaign: reviewers expect an opt-out hint. */
  needsOptout?: boolean
}

/** At most one, the most important. */
export function adviceOf({ body, preview, needsOptout }: Written): Advice | null {
  const length = countCharacters(body)
  if (length > BODY_MAX) {
    const text = `${formatCount(length)} characters (limit ${formatCount(BODY_MAX)}). Remove ${formatCount(length - BODY_MAX)}.`
    return { kind: 'long', isWarning: true, text }
  }
  if (!preview || isBlank(body)) return null
  return (
    unicodeAdvice(body, preview) ??
    manyAdvice(preview) ??
    foldedAdvice(preview) ??
    (needsOptout && !/\b(stop|opt[ -]?out|unsubscribe)\b/i.test(body)
      ? {
          kind: 'stop',
          isWarning: false,
          text: 'Reviewers look for “Reply STOP” in the first message.',
        }
      : null)
  )
}

function unicodeAdvice(body: string, preview: Preview): Advice | null {
  const { unicodeCharacters: culprits, withoutUnicode: without, numSegments, type } = preview
  if (!without || type === 'MMS' || isBlank(removeCharacters(body, culprits))) return null
  if (culprits.length > CULPRITS_MAX) {
    const some = culprits.slice(0, 3).join(' ')
    const text = `Characters such as ${some} reduce a segment from 160 to 70 characters.`
    return { kind: 'unicode', isWarning: false, text }
  }
  const list = culprits.join(' ')
  const [verb, them, reduce] =
    culprits.length === 1 ? ['makes', 'it', 'reduces'] : ['make', 'them', 'reduce']
  const isWarning = without.numSegments < numSegments
  const text = isWarning
    ? `${list} ${verb} this ${plural(numSegments, 'segment')} instead of ${without.numSegments}. Without ${them}: ${formatMoney(without.price)}.`
    : `${list} ${reduce} a segment from 160 to 70 characters.`
  const label = culprits.length <= 3 ? `Remove ${list}` : 'Remove them'
  return { kind: 'unicode', isWarning, text, removes: { characters: culprits, label } }
}

function manyAdvice({ numSegments }: Preview): Advice | null {
  if (numSegments <= DRAWN_MAX) return null
  const text = 'Most carriers split a text this long into several messages.'
  return { kind: 'many', isWarning: false, text }
}

function foldedAdvice({ folded }: Preview): Advice | null {
  const count = folded.reduce((sum, fold) => sum + fold.count, 0)
  if (count === 0) return null
  const some = folded.slice(0, 4).map(({ from, to }) => `${visible(from)} → ${visible(to)}`)
  const text = `${plural(count, 'character')} simplified to keep 160 per segment: ${some.join('  ')}`
  return { kind: 'folded', isWarning: false, text, folds: folded }
}

/** Makes all kinds of spaces visible. */
export function visible(text: string): string {
  return /^\s*$/u.test(text) ? 'space' : text
}
