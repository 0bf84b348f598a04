// A node of the service as a process of its own, which a test may kill or stop.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'

export function forkNode(databaseUrl: string, settings: Record<string, string> = {}): ChildProcess {
  const file = path.join(import.meta.dirname, 'serve-process.mjs')
  const isBuilt = existsSync(path.join(import.meta.dirname, '../../dist/serve.js'))
  const program = isBuilt ? ['../../dist/', []] : ['../../src/', ['--import', 'tsx']]
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    LONGCODE_LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    LONGCODE_REVIEW_SECONDS: '0',
    LONGCODE_DATABASE_POOL: '4',
    ...settings,
  }
  return fork(file, [program[0] as string], { execArgv: program[1] as string[], env })
}

export interface Node {
  child: ChildProcess
  address: string
}

/** Killed when the test ends, also when it is stopped. */
export async function startNode(
  t: TestContext,
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<Node> {
  const child = forkNode(databaseUrl, settings)
  t.after(() => child.kill('SIGKILL'))
  const [{ address }] = (await once(child, 'message')) as [{ address: string }]
  return { child, address }
}
