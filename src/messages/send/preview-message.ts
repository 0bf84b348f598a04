// Previews messages and their price without sending them: how full their segments are, which characters were
// folded, and which ones force UCS-2.

import { Refusal } from '../../kit/contract/refusal.js'
import type { Check } from '../../kit/contract/validation.js'
import type { World } from '../../kit/world.js'
import type { Prices } from '../../ledger/price-book.js'
import { fillOf, prepareText, ucs2Culprits, withoutCharacters } from '../../text/segments.js'
import type { MessageType } from '../message.js'
import { priceOf } from './compose-message.js'

interface PreviewInput {
  body: string
  mediaUrls?: readonly string[]
}

export function previewMessage({ config }: World, prices: Prices, input: PreviewInput) {
  const type = typeOf(input)
  const text = prepareText(input.body, config.segmentCounting)
  const segments = type === 'MMS' ? 1 : text.segments
  const culprits = ucs2Culprits(text.text)
  return {
    type,
    body: text.text,
    encoding: text.encoding,
    numSegments: segments,
    parts: type === 'MMS' ? 1 : text.parts,
    priceMicros: priceOf(prices, type, segments),
    fill: type === 'MMS' ? null : fillOf(text.text, config.segmentCounting),
    folded: text.folded.map((fold) => ({ ...fold })),
    unicodeCharacters: culprits,
    withoutUnicode: culprits.length > 0 ? pricedWithout(culprits) : null,
  }

  function pricedWithout(characters: readonly string[]) {
    const rest = withoutCharacters(text.text, characters)
    const plain = type === 'MMS' ? 1 : prepareText(rest, config.segmentCounting).segments
    return { numSegments: plain, priceMicros: priceOf(prices, type, plain) }
  }
}

export type PreviewedEntry =
  | { type: MessageType; encoding: 'GSM-7' | 'UCS-2'; numSegments: number; priceMicros: bigint }
  | Refusal

/** Each entry of a batch separately: its preview, or why its fields are refused. */
export function previewBatch(
  { config }: World,
  prices: Prices,
  check: Check,
  inputs: readonly object[],
): PreviewedEntry[] {
  return inputs.map((entry) => {
    const refusal = check(entry)
    if (refusal) return refusal
    const input = entry as PreviewInput
    const type = typeOf(input)
    const { encoding, segments } = prepareText(input.body, config.segmentCounting)
    const numSegments = type === 'MMS' ? 1 : segments
    return { type, encoding, numSegments, priceMicros: priceOf(prices, type, numSegments) }
  })
}

/** The totals of all messages that can be sent. */
export function sumOf(entries: readonly PreviewedEntry[]) {
  const sendable = entries.flatMap((entry) => (entry instanceof Refusal ? [] : [entry]))
  return {
    numMessages: sendable.length,
    numSegments: sendable.reduce((sum, { numSegments }) => sum + numSegments, 0),
    priceMicros: sendable.reduce((sum, { priceMicros }) => sum + priceMicros, 0n),
  }
}

function typeOf({ mediaUrls }: PreviewInput): MessageType {
  return (mediaUrls?.length ?? 0) > 0 ? 'MMS' : 'SMS'
}
