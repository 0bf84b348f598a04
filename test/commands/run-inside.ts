// Runs a command in this process, with its own arguments, environment, and output. Starting the program takes several
// times as long as most commands. test/release/image-commands.test.ts runs every documented command as a program.

import { runProgram } from '../../src/commands/program.js'
import type { CommandResult, Env } from './run-command.js'

let last: Promise<unknown> = Promise.resolve()

/** One command at a time: each has the environment and the output to itself. */
export function runInside(args: readonly string[], env: Env): Promise<CommandResult> {
  const result = last.then(() => runAlone(args, env))
  last = result.catch(() => {})
  return result
}

async function runAlone(args: readonly string[], env: Env): Promise<CommandResult> {
  const written = { out: '', err: '' }
  const own = process.env
  const restores = [
    collect(process.stdout, (text) => (written.out += text)),
    collect(process.stderr, (text) => (written.err += text)),
  ]
  process.env = { PATH: own.PATH, HOME: own.HOME, ...env }
  try {
    const code = await runProgram([process.execPath, 'longcode', ...args], { serve: refuseServe })
    return { code, ...written }
  } finally {
    process.env = own
    for (const restore of restores) restore()
  }
}

async function refuseServe(): Promise<void> {
  throw new Error('`longcode serve` needs a separate process: use startServe')
}

/** Text belongs to the command. The test runner writes its reports as bytes. */
function collect(stream: NodeJS.WriteStream, note: (text: string) => void): () => void {
  const own = stream.write
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const done = rest.at(-1)
    if (typeof chunk !== 'string') return Reflect.apply(own, stream, [chunk, ...rest])
    note(chunk)
    if (typeof done === 'function') done()
    return true
  }
  return () => {
    stream.write = own
  }
}
