// One small bug in one place of one file, and the choice of a sample.

export interface Mutant {
  /** As the repository names it: src/ledger/transfer.ts. */
  file: string
  line: number
  /** The piece of text that is replaced. */
  start: number
  end: number
  replacement: string
}

/** Where in a text, and by what. */
export type Change = Pick<Mutant, 'start' | 'end' | 'replacement'>

export function apply(text: string, { start, end, replacement }: Change): string {
  return text.slice(0, start) + replacement + text.slice(end)
}

export function toMutants(file: string, text: string, changes: readonly Change[]): Mutant[] {
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  return changes
    .map((change) => ({ file, line: lineAt(change.start), ...change }))
    .sort((a, b) => a.start - b.start || a.end - b.end)
}

/** The change with some of the line around it. */
export function describe(text: string, { start, end, replacement }: Mutant): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const lineEnd = `${text}\n`.indexOf('\n', end)
  const before = text.slice(Math.max(lineStart, start - BEFORE_CHARS), start)
  const after = text.slice(end, Math.min(lineEnd, end + AFTER_CHARS))
  const tell = (piece: string) => squeeze(before + shorten(squeeze(piece)) + after).trim()
  return `${tell(text.slice(start, end))}  →  ${tell(replacement)}`
}

const BEFORE_CHARS = 40
const AFTER_CHARS = 25
const PIECE_CHARS_MAX = 80

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

function shorten(text: string): string {
  return text.length > PIECE_CHARS_MAX ? `${text.slice(0, PIECE_CHARS_MAX)}…` : text
}

/** The same seed chooses the same. Keeps the order. */
export function sample<T>(list: readonly T[], count: number, seed: number): T[] {
  const random = seeded(seed)
  const places = list.map((_, i) => ({ i, rank: random() })).sort((a, b) => a.rank - b.rank)
  const chosen = new Set(places.slice(0, count).map(({ i }) => i))
  return list.filter((_, i) => chosen.has(i))
}

function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
