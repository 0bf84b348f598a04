// How long messages are kept of accounts without their own retention: the setting LONGCODE_RECORD_DAYS, stored in
// the database, where commands and other nodes read it.

import type { World } from '../../kit/world.js'
import { findDefaultRetention, recordDefaultDays } from '../accounts/retention-queries.js'

/** Stores the setting. Returns what applies now, which is nothing right after an upgrade. Null: kept. */
export async function keepDefault({ db, config, clock }: World): Promise<number | null> {
  const { days, appliesFrom } = await findDefaultRetention(db)
  if (days !== config.recordDays) await recordDefaultDays(db, config.recordDays)
  return clock.now() >= appliesFrom ? config.recordDays : null
}
