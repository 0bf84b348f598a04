// Loaded into every test process: each statement of the program that the tests bring about is held to the rules of
// statement-rules.mjs as it is first written, and the test that runs then fails with its file and the rule. Statements
// of the tests themselves are theirs.

import { subscribe } from 'node:diagnostics_channel'
import path from 'node:path'
import { EXCEPTIONS } from './statement-exceptions.mjs'
import { brokenRules, RULES } from './statement-rules.mjs'

const FRAMES_MAX = 12

subscribe('longcode.statement', (text) => {
  const broken = brokenRules(text)
  if (broken.length === 0) return
  const file = fileOfCaller()
  if (file === null) return
  const rule = broken.find((name) => !EXCEPTIONS[name]?.[file])
  if (rule) throw new Error(`${file}: ${rule}. ${RULES[rule].why}\n${text}`)
})

/** The first file of the program that is not about statements in general; null in a test. */
function fileOfCaller() {
  const { stackTraceLimit, prepareStackTrace } = Error
  Error.stackTraceLimit = FRAMES_MAX
  Error.prepareStackTrace = (_, frames) => frames.map((frame) => frame.getFileName() ?? '')
  const files = new Error().stack
  Object.assign(Error, { stackTraceLimit, prepareStackTrace })
  const own = files.map(nameOf).filter((file) => /^(?:src|test|bench|console)\//.test(file))
  const first = own.find((file) => !/^(?:src\/kit\/postgres\/|test\/statement-)/.test(file))
  return first?.startsWith('src/') ? first : null
}

function nameOf(file) {
  const [, rest] =
    /\/((?:src|test|bench|console)\/.*)\.(?:js|mjs|ts)$/.exec(file.split(path.sep).join('/')) ?? []
  return rest ? `${rest}.ts` : ''
}
