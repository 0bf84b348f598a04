// Reads and applies unified diffs, without git: a patch applies if each of its hunks has exactly one place in its file.
// Line numbers are ignored, so a patch survives changes elsewhere in the file.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

interface Hunk {
  before: string
  after: string
}

interface FilePatch {
  file: string
  hunks: Hunk[]
}

export interface Patch {
  /** What is wrong in the patched service. */
  description: string
  /** Kinds of findings that show it. */
  finds: string[]
  /** Faults to inject, by words in their names. Null: all kinds. */
  faults: string[] | null
  /** From the start of the load to the finding, when it was measured. Null: it never was. */
  seconds: number | null
  files: FilePatch[]
}

export function readPatch(text: string): Patch {
  const start = text.indexOf('--- a/')
  const head = text.slice(0, start)
  const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(head)?.[1] ?? null
  const description = head.split('\n', 1)[0]!.trim()
  const finds = field('Finds')?.split(' | ') ?? []
  if (start < 0 || description === '' || finds.length === 0) {
    throw new Error('A patch starts with its description in one line and a line "Finds: …".')
  }
  const seconds = field('Seconds')
  return {
    description,
    finds,
    faults: field('Faults')?.split(' | ') ?? null,
    seconds: seconds === null ? null : Number(seconds),
    files: readFiles(text.slice(start)),
  }
}

function readFiles(diff: string): FilePatch[] {
  const files: FilePatch[] = []
  let hunk: Hunk | null = null
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    if (line.startsWith('--- a/')) hunk = null
    else if (line.startsWith('+++ b/')) files.push({ file: line.slice('+++ b/'.length), hunks: [] })
    else if (line.startsWith('@@')) {
      hunk = { before: '', after: '' }
      files.at(-1)!.hunks.push(hunk)
    } else if (hunk) addLine(hunk, line)
  }
  return files
}

function addLine(hunk: Hunk, line: string): void {
  const text = `${line.slice(1)}\n`
  if (line[0] !== '+') hunk.before += text
  if (line[0] !== '-') hunk.after += text
}

/** The text with the patch. Throws a sentence if a hunk does not fit exactly once. */
export function applyTo(text: string, { file, hunks }: FilePatch): string {
  return hunks.reduce((patched, { before, after }, i) => {
    const at = before === '' ? -1 : patched.indexOf(before)
    const isThere = at >= 0 && (at === 0 || patched[at - 1] === '\n')
    if (!isThere) throw new Error(`Hunk ${i + 1} does not fit ${file}.`)
    if (patched.indexOf(before, at + 1) >= 0) {
      throw new Error(`Hunk ${i + 1} fits ${file} in several places.`)
    }
    return patched.slice(0, at) + after + patched.slice(at + before.length)
  }, text)
}

/** In the folder, which has the files. */
export function applyPatch({ files }: Patch, folder: string): void {
  for (const one of files) {
    const file = path.join(folder, one.file)
    writeFileSync(file, applyTo(readFileSync(file, 'utf8'), one))
  }
}
