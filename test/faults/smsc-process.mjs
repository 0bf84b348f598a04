// Our SMSC as a process of its own, to be killed and stopped by a test. It writes down every message that it takes
// before it answers, and every receipt that was acknowledged: one that is started again after a kill delivers the
// rest. Plain JavaScript, as serve-process.mjs is.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'

const [, , program, journal] = process.argv
const { startSmsc } = await import(new URL('smsc/smsc.js', new URL(program, import.meta.url)))

process.once('disconnect', () => process.exit(0)) // the test has ended

const write = (entry) => appendFileSync(journal, `${JSON.stringify(entry)}\n`)
const smsc = await startSmsc(
  { receiptDelayMs: 100, redeliverMs: 300 },
  {
    onMessage: ({ text, parts }) => write({ taken: text, parts }),
    onReceipted: ({ id }) => write({ receipted: id.inAnswer }),
  },
)
for (const part of unfinished()) smsc.resume(part)
process.send({ port: smsc.port }, () => {})

/** What was taken before and has no receipt yet. */
function unfinished() {
  if (!existsSync(journal)) return []
  const entries = readFileSync(journal, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  const done = new Set(entries.map(({ receipted }) => receipted))
  return entries
    .flatMap(({ parts = [] }) => parts)
    .filter(({ id }) => !done.has(id.inAnswer))
    .map((part) => ({ ...part, tlvs: [], takenAt: new Date(part.takenAt) }))
}
