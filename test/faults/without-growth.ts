// Checks that repeated work does not leak memory.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose_gc')
const collectGarbage = runInNewContext('gc') as () => void

async function bytesInUse(): Promise<number> {
  await sleep(50)
  collectGarbage()
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}

/** Fails if memory grows by more than `bytesMax`. The first third of the rounds is a warm-up. */
export async function withoutGrowth(
  t: TestContext,
  { rounds, bytesMax }: { rounds: number; bytesMax: number },
  round: (i: number) => Promise<void>,
): Promise<void> {
  const warmUp = Math.ceil(rounds / 3)
  let before = 0
  for (let i = 0; i < rounds; i++) {
    if (i === warmUp) before = await bytesInUse()
    await round(i)
  }
  const growth = (await bytesInUse()) - before
  t.diagnostic(
    `memory grew by ${(growth / 1024 / 1024).toFixed(1)} MiB in ${rounds - warmUp} rounds`,
  )
  assert.ok(growth < bytesMax, `memory grew by ${growth} bytes`)
}
