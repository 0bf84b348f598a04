// No regular expression of the service or the console may take more than linear time, because outsiders choose the
// text that many of them read. recheck proves each one linear or prints a text that makes it slow (decision 0039).
// A proof can take seconds, so expressions that were found safe are listed by hash in safe.txt, and only others are
// checked. `npm run regexes` checks them and updates the list. With --all it checks everything again.

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { check } from 'recheck'
import { collectRegexes, type Regex } from './collect.js'

const LIST = path.join(import.meta.dirname, 'safe.txt')
const TIMEOUT_MS = 120_000

// These read texts that are cut to a length before. An expression there may be slow with longer ones, if the slowest
// text of that length that was found stays under BOUNDED_MS.
const BOUNDED: Readonly<Record<string, number>> = {
  'src/text/refusal-patterns.ts': 1_600,
  'src/text/refusal-words.ts': 1_600,
}
const BOUNDED_MS = 5

const hashOf = ({ source, flags }: Regex): string =>
  createHash('sha256').update(`/${source}/${flags}`).digest('hex').slice(0, 32)

interface Vulnerability {
  complexity: { summary: string }
  attack: { pattern: string; pumps: { prefix: string; pump: string }[]; suffix: string }
}

/** The attack of that length: what is repeated in it is repeated as often as fits. */
function worstText({ pumps, suffix }: Vulnerability['attack'], length: number): string {
  const share = Math.floor((length - suffix.length) / pumps.length)
  const parts = pumps.map(({ prefix, pump }) =>
    `${prefix}${pump.repeat(Math.ceil(share / Math.max(pump.length, 1)))}`.slice(0, share),
  )
  return parts.join('') + suffix
}

/** CPU time of the quickest of several tries: the others were disturbed. */
function measure(regex: RegExp, text: string): number {
  const tries = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage()
    text.search(regex)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...tries)
}

/** Null where it is linear. */
async function findProblem({ source, flags, place }: Regex): Promise<string | null> {
  const { status, ...result } = await check(source, flags, { timeout: TIMEOUT_MS })
  if (status === 'safe') return null
  const shown = `${place}: /${source}/${flags}`
  if (status === 'unknown') {
    return `${shown}\n  could not be decided (${JSON.stringify(result)}). Make it simpler, or scan the text.`
  }
  const { complexity, attack } = result as unknown as Vulnerability
  const lengthMax = BOUNDED[place.split(':')[0]!]
  if (lengthMax !== undefined) {
    const ms = measure(new RegExp(source, flags), worstText(attack, lengthMax))
    return ms <= BOUNDED_MS ? null : `${shown}\n  takes ${ms} ms for ${lengthMax} characters.`
  }
  const { summary } = complexity
  return `${shown}\n  takes ${summary} time, for example with ${attack.pattern}. Bound its repeats, or scan the text.`
}

const flags = new Set(process.argv.slice(2))
const { regexes, problems } = await collectRegexes()
const unique = new Map(regexes.map((regex) => [hashOf(regex), regex]))
const listed = new Set(readFileSync(LIST, 'utf8').split('\n').filter(Boolean))
const known = flags.has('--all') ? new Set<string>() : listed
const safe: string[] = []
let checked = 0
for (const [hash, regex] of unique) {
  const problem = known.has(hash) ? null : await findProblem(regex)
  if (!known.has(hash)) checked += 1
  if (problem === null) safe.push(hash)
  else problems.push(problem)
}
if (flags.has('--write')) writeFileSync(LIST, `${safe.sort().join('\n')}\n`)
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
console.log(`${unique.size} regular expressions are linear, ${checked} of them checked now`)
// recheck keeps a child process waiting for more.
process.exit(0)
