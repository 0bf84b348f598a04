// A real carrier sends its receipts even after our outage. The simulated one forgets when its process ends,
// so it gets the messages without a final status: at startup, and when another dispatching process is gone.

import { listLinkReports } from '../carriers/link-queries.js'
import type { Simulator } from '../carriers/simulator.js'
import { DAY_MS } from '../kit/clock.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { findAwaitingReceipt } from '../messages/message-queries.js'

const RESUMED_MAX = 10_000
const PROBE_MS = 5_000

export async function resumeSimulator(
  { db, clock }: World,
  simulator: Pick<Simulator, 'resume'>,
): Promise<void> {
  const since = new Date(clock.now().getTime() - DAY_MS)
  simulator.resume(await findAwaitingReceipt(db, since, RESUMED_MAX))
}

/** Dispatching processes register in the database. A killed one is noticed half a minute later. */
export function resumeOthersLoop(world: World, resume: () => Promise<void>): Loop {
  const { db, clock, log } = world
  let previous: readonly string[] = []
  return {
    name: 'receipts of stopped processes',
    idleMs: PROBE_MS,
    onError: (error) =>
      log.warn({ err: error }, 'reading the receipts of stopped processes failed'),
    step: async () => {
      const reports = await listLinkReports(db, clock.machineNow())
      const present = reports.map(({ process }) => process)
      const isMissed = previous.some((process) => !present.includes(process))
      if (isMissed) await resume()
      previous = present
      return 0
    },
  }
}
