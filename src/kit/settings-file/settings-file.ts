// Turns a settings file into a usable value. Every problem is a sentence with file and line. A file with a
// problem is not used at all.

import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fieldName } from '../contract/validation.js'
import { readVariables } from '../settings/environment.js'
import { BadSetting } from '../settings/setting-reader.js'
import { type Expanded, expandVariables, placeOf } from './expand-variables.js'
import { readDocument, type SettingsDocument, type SettingsProblem } from './settings-document.js'

const FILE_OCTETS_MAX = 1024 ** 2

/** The message is the first of its problems. */
export class BadSettingsFile extends BadSetting {
  constructor(readonly problems: readonly string[]) {
    super(problems[0])
  }
}

export interface SettingsSource {
  file: string
  /** Default: the environment, and .env. */
  variable?: (name: string) => string | null
}

/** The result of reading the values of a file. Paths start at its top. */
export interface SettingsRead<T> {
  /** Null if something is wrong. */
  settings: T | null
  problems: readonly SettingsProblem[]
  /** Works, but needs attention. */
  warnings: readonly SettingsProblem[]
}

/** Each warning is one sentence. Throws BadSettingsFile. */
export function readSettingsFile<T>(
  { file, variable = readVariables() }: SettingsSource,
  read: (values: Pick<Expanded, 'value' | 'fromOutside'>) => SettingsRead<T>,
): { settings: T; warnings: string[] } {
  const shown = shownName(file)
  const found = readText(file)
  if ('problem' in found) throw new BadSettingsFile([`${shown} ${found.problem}.`])
  const document = readDocument(found.text)
  if ('text' in document) throw new BadSettingsFile([`${shown}:${document.line} ${document.text}.`])
  const expanded = expandVariables(document.value, variable)
  const { settings, problems: ofValues, warnings } = read(expanded)
  const problems = [...expanded.problems, ...ofValues]
  if (problems.length > 0 || settings === null) {
    throw new BadSettingsFile(sentences(shown, document, problems))
  }
  return { settings, warnings: warnings.map((warning) => sentence(shown, document, warning)) }
}

/** In the order of lines, one per position. */
function sentences(file: string, document: SettingsDocument, problems: readonly SettingsProblem[]) {
  const places = new Map<string, SettingsProblem>()
  for (const problem of problems) {
    const place = placeOf(problem.path)
    if (!places.has(place) || problem.path.length === 0) places.set(place, problem)
  }
  return [...places.values()]
    .map((problem) => ({ problem, line: document.lineOf(problem.path) }))
    .sort((a, b) => a.line - b.line)
    .map(({ problem }) => sentence(file, document, problem))
}

function sentence(
  file: string,
  document: SettingsDocument,
  { path: at, text }: SettingsProblem,
): string {
  const field = at.length === 0 ? '' : `${fieldName(at.map(String))} `
  return `${file}:${document.lineOf(at)} ${field}${text}${text.endsWith('?') ? '' : '.'}`
}

function shownName(file: string): string {
  const relative = path.relative('', file)
  return relative === '' || relative.startsWith('..') ? file : relative
}

/** The text of a file, or why it cannot be read. */
export function readText(file: string): { text: string } | { problem: string } {
  try {
    const { size } = statSync(file)
    if (size > FILE_OCTETS_MAX) return { problem: 'has more than a megabyte: name another file' }
    return { text: readFileSync(file, 'utf8') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { problem: `cannot be read (${code}): name a file that is there and may be read` }
  }
}
