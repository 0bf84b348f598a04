// A real carrier sends its receipts also when we were away. The simulated one forgets when the
// process ends, so at the next start it is told what it had taken.

import type { Simulator } from '../carriers/simulator.js'
import type { World } from '../kit/world.js'
import { findAwaitingReceipt } from '../messages/message-queries.js'

const DAY_MS = 24 * 60 * 60 * 1000
const RESUMED_MAX = 10_000

export async function resumeSimulator(
  { db, clock }: World,
  simulator: Pick<Simulator, 'resume'>,
): Promise<void> {
  const since = new Date(clock.now().getTime() - DAY_MS)
  simulator.resume(await findAwaitingReceipt(db, since, RESUMED_MAX))
}
