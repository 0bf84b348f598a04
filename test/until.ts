// Waits for a condition in tests without a service, for as long as a busy machine may need.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from './patience.js'

const POLL_MS = 2

export async function until<T>(
  probe: () => T | null | undefined | false,
  what: string,
): Promise<T> {
  const startMs = performance.now()
  for (;;) {
    const found = probe()
    if (found) return found
    assert.ok(performance.now() < startMs + patienceMs(), `still waiting for ${what}`)
    await sleep(POLL_MS)
  }
}
