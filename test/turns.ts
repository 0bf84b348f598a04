// Where a test does the background work of a role that its service does not have.

import type { World } from '../src/kit/world.js'

/** On a cluster, a process polls only while it has the turn of its role. From now on, the test has it. */
export function takeTurns({ hints }: Pick<World, 'hints'>): void {
  hints.hasTurn = () => true
}
