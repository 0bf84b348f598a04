// Which mutants the compiler refuses. Nobody can commit such a mistake, so it is left out before any test runs. Only
// the mutated file is checked, so a few stay in that another file would show.

import path from 'node:path'
import { API, type Program } from 'typescript/unstable/sync'
import { apply, type Mutant } from './mutant.js'

/** The sources, which compiled tests are not next to. Every run starts here. */
const ROOT = process.cwd()
const CONFIG = path.join(ROOT, 'tsconfig.json')
/** What is no longer used after a change shows by chance. */
const UNUSED: readonly number[] = [6133, 6138, 6192, 6196, 6198, 6199, 6205]

/** Those that compile. `texts` holds the sources by name. */
export function keepCompiling(
  mutants: readonly Mutant[],
  texts: ReadonlyMap<string, string>,
): Mutant[] {
  let changed = new Map<string, string>()
  const api = new API({ cwd: ROOT, fs: { readFile: (name) => changed.get(name) } })
  try {
    api.updateSnapshot({ openProjects: [CONFIG] })
    const refused = roundsOf(mutants).flatMap((round) => {
      const before = changed
      changed = new Map(round.map((one) => [nameOf(one), apply(texts.get(one.file)!, one)]))
      const names = [...new Set([...before.keys(), ...changed.keys()])]
      const snapshot = api.updateSnapshot({ fileChanges: { changed: names } })
      const { program } = snapshot.getProject(CONFIG)!
      return round.filter((one) => isRefused(program, nameOf(one)))
    })
    return mutants.filter((one) => !refused.includes(one))
  } finally {
    api.close()
  }
}

/** One of each file at a time: each round loads the program again. */
function roundsOf(mutants: readonly Mutant[]): Mutant[][] {
  const rounds: Mutant[][] = []
  const counts = new Map<string, number>()
  for (const one of mutants) {
    const count = counts.get(one.file) ?? 0
    counts.set(one.file, count + 1)
    rounds[count] = [...(rounds[count] ?? []), one]
  }
  return rounds
}

function nameOf({ file }: Mutant): string {
  return path.join(ROOT, file)
}

function isRefused(program: Program, name: string): boolean {
  const found = [...program.getSyntacticDiagnostics(name), ...program.getSemanticDiagnostics(name)]
  return found.some(({ code }) => !UNUSED.includes(code))
}
