// A reporter for `npm test -- --times`: CPU time by test file, including every process that the tests start: the
// database, browsers, services. Wall time means little on a busy machine.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const SHOWN_FILES = 40
const SHOWN_TESTS = 40
const TICK_MS = 10 // of the kernel's figures

/** Tests run one after another here, so what was used between two of them belongs to the second. */
export default async function* times(source) {
  const [files, tests] = [new Map(), []]
  let before = usedMs()
  for await (const { type, data } of source) {
    if (type === 'test:fail') yield `failed: ${data.name} (${data.file}:${data.line})\n`
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const now = usedMs()
    const ms = Math.max(0, now - before) // a browser that ends takes its figures along
    before = now
    const file = nameOf(data.file)
    files.set(file, (files.get(file) ?? 0) + ms)
    tests.push([`${file}:${data.line} ${data.name}`, ms])
  }
  const sum = [...files.values()].reduce((one, other) => one + other, 0)
  yield `\nprocessor time in all: ${seconds(sum)} s, ${tests.length} tests and suites\n`
  yield table('by file', [...files], SHOWN_FILES)
  yield table('by test', tests, SHOWN_TESTS)
}

function table(title, rows, shown) {
  const lines = rows.sort(([, one], [, other]) => other - one).slice(0, shown)
  return `\n${title}\n${lines.map(([name, ms]) => `${seconds(ms).padStart(8)} s  ${name}\n`).join('')}`
}

function seconds(ms) {
  return (ms / 1000).toFixed(1)
}

/** As it is called in the project: what runs is compiled elsewhere, or a group of files. */
function nameOf(file) {
  const [, within] = file.split(`${path.sep}compiled${path.sep}`)
  return within ?? path.relative('.', file)
}

/** Of all processes started by the parent of the runner, including those that have ended. */
function usedMs() {
  const known = new Map()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const figures = figuresOf(pid)
    if (figures) known.set(Number(pid), figures)
  }
  const isOurs = (pid) => pid === process.ppid || (known.has(pid) && isOurs(known.get(pid).parent))
  const ours = [...known].filter(([pid]) => isOurs(pid))
  return ours.reduce((sum, [, { ms }]) => sum + ms, 0)
}

function figuresOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).map(Number) // user and system, of itself and of children
    return { parent: Number(fields[1]), ms: TICK_MS * ticks.reduce((one, other) => one + other, 0) }
  } catch {
    return null // it has just ended
  }
}
