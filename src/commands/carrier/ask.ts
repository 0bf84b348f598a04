// Questions to whoever sits at the terminal. What is secret is typed unseen, and goes nowhere but to the caller.

import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { CommandFailure } from '../failure.js'

export interface Asker {
  ask: (question: string) => Promise<string>
  /** Nothing of the answer is shown. */
  askHidden: (question: string) => Promise<string>
  close: () => void
}

export function createAsker(
  input: Readable = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Asker {
  let isHidden = false
  const shown = new Writable({
    write: (part, _encoding, done) => {
      if (!isHidden) output.write(part)
      done()
    },
  })
  const lines = createInterface({ input, output: shown, terminal: true, historySize: 0 })
  const ended = new Promise<never>((_, reject) => {
    lines.once('close', () => reject(new CommandFailure('Nothing was done.', 'ended')))
  })
  ended.catch(() => {}) // heard by whoever is asking
  const read = (question: string): Promise<string> => {
    output.write(`${question}: `)
    const answered = new Promise<string>((resolve) => lines.once('line', resolve))
    return Promise.race([answered, ended])
  }
  return {
    ask: async (question) => (await read(question)).trim(),
    askHidden: async (question) => {
      isHidden = true
      try {
        return (await read(question)).trim()
      } finally {
        isHidden = false
        output.write('\n')
      }
    },
    close: () => lines.close(),
  }
}
