// Guesses which known name the client meant: another spelling, a synonym, a typo, or a shortened name. Names
// are short and few, so it tries all of them.

/** Synonyms by name: `sendAt` for `scheduledAt`. */
export interface Named {
  also: readonly string[]
}

const START_LENGTH_MIN = 4

export function nearestName(input: string, candidates: ReadonlyMap<string, Named>): string | null {
  const folded = fold(input)
  if (folded === '') return null
  const words = [...candidates].flatMap(([name, { also }]) =>
    [name, ...also].map((word) => ({ name, word: fold(word) })),
  )
  const same = words.find(({ word }) => word === folded)
  return (same ?? slipOf(folded, words) ?? startOf(folded, words))?.name ?? null
}

interface Word {
  name: string
  word: string
}

// area_code, Area-Code, and areaCode are one name.
function fold(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

// One typo in three letters is still readable.
function slipOf(folded: string, words: readonly Word[]): Word | null {
  let best: Word | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const word of words) {
    const distance = distanceOf(folded, word.word)
    const limit = Math.floor(Math.max(folded.length, word.word.length) / 3)
    if (distance > limit || distance >= bestDistance) continue
    best = word
    bestDistance = distance
  }
  return best
}

function startOf(folded: string, words: readonly Word[]): Word | null {
  const isStart = (whole: string, start: string) =>
    start.length >= START_LENGTH_MIN && whole.startsWith(start)
  return words.find(({ word }) => isStart(word, folded) || isStart(folded, word)) ?? null
}

/** Letters inserted, deleted, changed, or two swapped. */
export function distanceOf(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const changed = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, changed)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1)
      }
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
