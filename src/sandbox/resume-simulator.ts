// A real carrier sends its receipts also when we were away. The simulated one forgets when its process ends, so it is
// told what was taken and not heard of since: at the start, and when another process that dispatched is gone.

import { listLinkReports } from '../carriers/link-queries.js'
import type { Simulator } from '../carriers/simulator.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { findAwaitingReceipt } from '../messages/message-queries.js'

const DAY_MS = 24 * 60 * 60 * 1000
const RESUMED_MAX = 10_000
const PROBE_MS = 5_000

export async function resumeSimulator(
  { db, clock }: World,
  simulator: Pick<Simulator, 'resume'>,
): Promise<void> {
  const since = new Date(clock.now().getTime() - DAY_MS)
  simulator.resume(await findAwaitingReceipt(db, since, RESUMED_MAX))
}

/** What dispatches says so in the database; one that was killed is missed there half a minute later. */
export function resumeOthersLoop(world: World, resume: () => Promise<void>): Loop {
  const { db, clock, log } = world
  let known: readonly string[] = []
  return {
    name: 'receipts of processes that are gone',
    idleMs: PROBE_MS,
    onError: (error) => log.warn({ err: error }, 'asking for the receipts of others failed'),
    step: async () => {
      const reports = await listLinkReports(db, clock.machineNow())
      const present = reports.map(({ process }) => process)
      const isMissed = known.some((process) => !present.includes(process))
      if (isMissed) await resume()
      known = present
      return 0
    },
  }
}
