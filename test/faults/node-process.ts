// A node of the service in a separate process, which a test can kill or stop.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { TestContext } from 'node:test'

export function forkNode(databaseUrl: string, settings: Record<string, string> = {}): ChildProcess {
  const file = path.join(import.meta.dirname, 'serve-process.mjs')
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: databaseUrl,
    LONGCODE_LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    LONGCODE_REVIEW_SECONDS: '0',
    LONGCODE_DATABASE_POOL: '4',
    LONGCODE_SIP_PORT: 'off', // except in tests of phone calls
    ...settings,
  }
  return fork(file, ['../../dist/'], { execArgv: [], env })
}

export interface Node {
  child: ChildProcess
  address: string
  /** Null if customers cannot bind. */
  smppPort: number | null
}

/** Killed when the test ends, even if it is stopped. */
export async function startNode(
  t: TestContext,
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<Node> {
  const child = forkNode(databaseUrl, settings)
  t.after(() => child.kill('SIGKILL'))
  const [ports] = (await once(child, 'message')) as [Omit<Node, 'child'>]
  return { child, ...ports }
}
