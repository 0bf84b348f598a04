// Converts V8 coverage to source lines. V8 reports positions in the compiled text, and the source map in the same
// report maps them back.

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

export interface ScriptCoverage {
  url: string
  functions: { ranges: Range[] }[]
}

export interface SourceMapCache {
  lineLengths: number[]
  data: { mappings: string; sources: string[] } | null
}

interface Segment {
  /** Place in the compiled text. */
  offset: number
  /** Line of the source, from 1 on. */
  line: number
}

/** The lines of the source that were run at least once. */
export function coveredLines(script: ScriptCoverage, map: SourceMapCache): Set<number> {
  const counts = new Int32Array(map.lineLengths.reduce((sum, length) => sum + length + 1, 0))
  // From the outside in: inner functions are counted separately.
  const ranges = script.functions
    .flatMap((one) => one.ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  for (const { count, startOffset, endOffset } of ranges) counts.fill(count, startOffset, endOffset)
  const isRun = new Map<number, boolean>()
  for (const { offset, line } of segmentsOf(map)) {
    isRun.set(line, isRun.get(line) || counts[offset]! > 0)
  }
  return new Set(fillGaps(isRun))
}

/** A line inside a longer text, as of SQL, has no entry in the map: it belongs to the line above. */
function fillGaps(isRun: ReadonlyMap<number, boolean>): number[] {
  const lines = Array.from({ length: Math.max(0, ...isRun.keys()) }, (_, i) => i + 1)
  let isRunAbove = false
  return lines.filter((line) => {
    isRunAbove = isRun.get(line) ?? isRunAbove
    return isRunAbove
  })
}

function segmentsOf({ lineLengths, data }: SourceMapCache): Segment[] {
  if (!data) return []
  const segments: Segment[] = []
  let lineStart = 0
  let sourceLine = 0
  data.mappings.split(';').forEach((text, i) => {
    let column = 0
    for (const fields of text.split(',').filter(Boolean).map(decode)) {
      column += fields[0]!
      sourceLine += fields[2] ?? 0
      if (fields.length >= 4) segments.push({ offset: lineStart + column, line: sourceLine + 1 })
    }
    lineStart += (lineLengths[i] ?? 0) + 1
  })
  return segments
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** One segment of a source map: numbers in base 64, five bits a digit, the sign in the lowest. */
export function decode(segment: string): number[] {
  const numbers: number[] = []
  let value = 0
  let shift = 0
  for (const letter of segment) {
    const digit = DIGITS.indexOf(letter)
    value += (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    numbers.push(value & 1 ? -(value >> 1) : value >> 1)
    value = 0
    shift = 0
  }
  return numbers
}
