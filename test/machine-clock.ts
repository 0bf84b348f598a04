// The machine's clock as a test sets it. Once per test: Node restores several mocks of one function in the wrong order, so the first
// would stay, and everything that waits afterward would wait forever.

import type { TestContext } from 'node:test'

const clocks = new WeakMap<TestContext, { nowMs: () => number }>()

export function setMachineClock(t: TestContext, nowMs: () => number): void {
  const known = clocks.get(t)
  if (known) {
    known.nowMs = nowMs
    return
  }
  const clock = { nowMs }
  clocks.set(t, clock)
  t.mock.method(performance, 'now', () => clock.nowMs())
}
