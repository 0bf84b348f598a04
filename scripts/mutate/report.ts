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
  return [...lines, '', ...rooms(results), `in all: ${summary(results)}`].join('\n')
}

function rooms(results: readonly Result[]): string[] {
  const roomOf = ({ mutant }: Result) => mutant.file.split('/').slice(0, 2).join('/')
  const names = [...new Set(results.map(roomOf))].sort()
  return names.map((room) => `${room}: ${summary(results.filter((one) => roomOf(one) === room))}`)
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
