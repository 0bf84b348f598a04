// Loaded into every test process: checks each statement of the program against statement-rules.mjs when it is first
// built. A violation fails the running test with the file and the rule. Statements of the tests themselves are not
// checked.

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

/** The first program file outside the general statement code, or null in a test. */
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
