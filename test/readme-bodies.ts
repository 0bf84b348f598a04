// The request bodies that README.md tells a newcomer to post.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const README = readFileSync('README.md', 'utf8')

/** The body that README posts to the path, with the shell's variables filled in. */
export function readmeBody(
  path: string,
  variables: Record<string, string> = {},
): Record<string, unknown> {
  const start = README.indexOf(`${path} -d '`)
  assert.notEqual(start, -1, `README posts nothing to ${path}`)
  const text = /-d '(\{.*?\})'\n/s.exec(README.slice(start))![1]!
  return JSON.parse(text.replaceAll(/'\$(\w+)'/g, (_, name: string) => variables[name]!))
}
