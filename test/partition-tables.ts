// Partitions tables at the given times, however small they are, as the schedule role would over the months.

import { type Family, makeAhead } from '../src/kit/partitions/partitions.js'
import type { TestService } from './harness.js'

export async function partitionTables(
  { world }: TestService,
  families: Record<string, Family>,
  moments: readonly string[],
): Promise<void> {
  const sizes = { cutBytes: 0, partitionBytes: Number.MAX_SAFE_INTEGER }
  for (const moment of moments) {
    for (const family of Object.values(families)) {
      await makeAhead(world.db.patient, family, new Date(moment), sizes)
    }
  }
}
