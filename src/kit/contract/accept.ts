// Chooses the response type by the Accept header.

/** The best offer, or the first one if the header lists none of them. */
export function preferredType<const T extends string>(
  accept: string | undefined,
  offers: readonly [T, ...T[]],
): T {
  const ranges = (accept ?? '*/*').split(',').map(readRange)
  let best = offers[0]
  let bestQuality = 0
  for (const offer of offers) {
    const quality = qualityOf(offer, ranges)
    if (quality > bestQuality) {
      best = offer
      bestQuality = quality
    }
  }
  return best
}

interface Range {
  type: string
  quality: number
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((piece) => piece.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const value = quality === undefined ? 1 : Number(quality)
  return { type, quality: Number.isFinite(value) ? value : 0 }
}

// The most specific range that covers the type decides.
function qualityOf(offer: string, ranges: readonly Range[]): number {
  const group = `${offer.split('/', 1)[0]}/*`
  for (const type of [offer, group, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === type)
    if (range) return range.quality
  }
  return 0
}
