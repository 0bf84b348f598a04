// What a message would be and cost, without sending it: which characters were folded, and which ones
// force the expensive encoding.

import type { World } from '../../kit/world.js'
import type { Prices } from '../../ledger/price-book.js'
import { prepareText, ucs2Culprits } from '../../text/segments.js'
import type { MessageType } from '../message.js'
import { priceOf } from './send-message.js'

export function previewMessage(
  { config }: World,
  prices: Prices,
  input: { body: string; mediaUrls?: readonly string[] },
) {
  const type: MessageType = (input.mediaUrls?.length ?? 0) > 0 ? 'MMS' : 'SMS'
  const text = prepareText(input.body, config.segmentCounting)
  const segments = type === 'MMS' ? 1 : text.segments
  return {
    type,
    body: text.text,
    encoding: text.encoding,
    numSegments: segments,
    parts: type === 'MMS' ? 1 : text.parts,
    priceMicros: priceOf(prices, type, segments),
    folded: text.folded.map((fold) => ({ ...fold })),
    unicodeCharacters: ucs2Culprits(text.text),
  }
}
