// Loaded into test processes before the compiler of TypeScript: gives it one file with a mistake in it,
// so that nothing changes on disk and several mutants can run at the same time.

import { readFileSync } from 'node:fs'
import { register } from 'node:module'

/** The address of the file that is replaced, and a file with the text in its place. */
const { MUTANT_URL: target, MUTANT_TEXT: textFile } = process.env

if (target) register(import.meta.url)

export async function load(url, context, nextLoad) {
  if (url.split('?', 1)[0] !== target) return nextLoad(url, context)
  return { format: 'module', source: readFileSync(textFile, 'utf8'), shortCircuit: true }
}
