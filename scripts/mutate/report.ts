// The result of a run: the share of mutants caught per file, and every surviving mutant.

import { describe, type Mutant } from './mutant.js'
import type { MutantState } from './try-mutant.js'

export interface Result {
  mutant: Mutant
  state: MutantState
}

/** `texts` holds the sources by name. */
export function report(results: readonly Result[], texts: ReadonlyMap<string, string>): string {
  const files = [...new Set(results.map(({ mutant }) => mutant.file))].sort()
  const lines = files.flatMap((file) => {
    const own = results.filter(({ mutant }) => mutant.file === file)
    const missed = own
      .filter((one) => !isKilled(one) || one.state === 'only a snapshot')
      .sort((a, b) => a.mutant.line - b.mutant.line)
    return [`${file}: ${summary(own)}`, ...missed.map((one) => `  ${tell(one, texts.get(file)!)}`)]
  })
  return [...lines, '', ...rooms(results), `in all: ${summaryWithInterval(results)}`].join('\n')
}

function rooms(results: readonly Result[]): string[] {
  const roomOf = ({ mutant }: Result) => mutant.file.split('/').slice(0, 2).join('/')
  const names = [...new Set(results.map(roomOf))].sort()
  return names.map(
    (room) => `${room}: ${summaryWithInterval(results.filter((one) => roomOf(one) === room))}`,
  )
}

function tell({ mutant, state }: Result, text: string): string {
  return `${mutant.file}:${mutant.line} ${state}: ${describe(text, mutant)}`
}

/** A test that waits forever has noticed, too. */
function isKilled({ state }: Result): boolean {
  return state === 'killed' || state === 'timed out' || state === 'only a snapshot'
}

function summary(results: readonly Result[]): string {
  const count = (wanted: MutantState) => results.filter(({ state }) => state === wanted).length
  const killed = results.filter(isKilled).length
  const share = results.length === 0 ? 100 : (100 * killed) / results.length
  const slow = count('timed out') > 0 ? ` (${count('timed out')} by time)` : ''
  const snapshots = count('only a snapshot')
  const text = snapshots > 0 ? ` (${snapshots} only by a snapshot)` : ''
  return (
    `${killed} of ${results.length} killed${slow}${text}, ${share.toFixed(0)} %; ` +
    `${count('survived')} survived, ${count('no coverage')} without coverage`
  )
}

/** With the interval that has the share of all mutants with a probability of 95 %, if these are a random sample (Wilson). */
function summaryWithInterval(results: readonly Result[]): string {
  const count = results.length
  if (count === 0) return summary(results)
  const z = 1.96
  const share = results.filter(isKilled).length / count
  const middle = share + z ** 2 / (2 * count)
  const half = z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))
  const [from, to] = [middle - half, middle + half].map((bound) =>
    ((100 * bound) / (1 + z ** 2 / count)).toFixed(0),
  )
  return `${summary(results)}; between ${from} and ${to} % of all, if this is a random sample`
}
