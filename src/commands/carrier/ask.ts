// Prompts at the terminal. Secrets are not shown and go only to the caller.

import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { CommandFailure } from '../failure.js'

export interface Asker {
  ask: (question: string) => Promise<string>
  /** Does not show the answer. */
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
    lines.once('close', () => reject(new CommandFailure('Canceled. Nothing was changed.', 'ended')))
  })
  ended.catch(() => {}) // the pending prompt reports it
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
