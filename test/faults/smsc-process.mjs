// Our SMSC in a separate process, for a test to kill and stop. It records every accepted message before it responds,
// and every acknowledged receipt. After a kill, a new process delivers the remaining receipts. Plain JavaScript, like
// serve-process.mjs.

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

/** Accepted messages without an acknowledged receipt. */
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
    .map((part) => ({ ...part, tlvs: [], acceptedAt: new Date(part.acceptedAt) }))
}
