// Programs that only some machines have. CI installs them (.ci/run), so there a missing one is a failure.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import type { TestContext } from 'node:test'

/** False if the program is missing, and the test is skipped. */
export function hasTool(
  t: TestContext,
  program: string,
  packages: string,
  args = ['--version'],
): boolean {
  const { error } = spawnSync(program, args, { stdio: 'ignore' })
  if (!error) return true
  assert.ok(!process.env.CI, `CI needs ${program}: apt-get install ${packages}`)
  t.skip(`${program} not found: apt-get install ${packages}`)
  return false
}

/** Fails with what the program printed. */
export function runTool(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}
