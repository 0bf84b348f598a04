// Waits for a condition in tests without a service, for as long as a busy machine may need.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 60_000
const POLL_MS = 2

export async function until<T>(
  probe: () => T | null | undefined | false,
  what: string,
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const found = probe()
    if (found) return found
    assert.ok(performance.now() < deadline, `still waiting for ${what}`)
    await sleep(POLL_MS)
  }
}
