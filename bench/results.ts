// RESULTS.md contains the latest run of each benchmark in its own section: a run replaces its section
// and leaves the others, and what people wrote, as they are.

import { spawnSync } from 'node:child_process'
import os from 'node:os'

/** The text of RESULTS.md with this run in place of the previous run of that name. */
export function withResults(text: string, name: string, lines: readonly string[]): string {
  const sections = text.split(/^(?=## )/m).map((section) => section.trimEnd())
  const placeOf = (title: string) => sections.findIndex((one) => one.startsWith(`## ${title}\n`))
  const own = placeOf(name)
  const earlier = placeOf('Earlier')
  const next = earlier === -1 ? sections.length : earlier
  const section = [`## ${name}`, '', '```', ...lines, '```'].join('\n')
  if (own === -1) sections.splice(next, 0, section)
  else sections[own] = section
  return `${sections.join('\n\n')}\n`
}

/** What is needed to compare two runs, without anything that identifies the machine's owner. */
export function circumstances(): string {
  const date = new Date().toISOString().slice(0, 10)
  const machine = `${os.availableParallelism()} cores, ${process.platform} ${process.arch}`
  return `${date}, commit ${commit()}, ${machine}, Node ${process.versions.node}`
}

function commit(): string {
  const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8' })
  const { status, stdout } = git('rev-parse', '--short', 'HEAD')
  if (status !== 0) return 'unknown' // not a clone
  // A run before this one may have written its own results.
  const isChanged = git('diff', '--quiet', 'HEAD', '--', ':!bench/RESULTS.md').status !== 0
  return isChanged ? `${stdout.trim()} with changes` : stdout.trim()
}
