// Slots of tables that are stored for a week or two and emptied without a scan: one for each of four weeks in turn.
// New rows go into this week's slot. The slot after the next one is emptied in the meantime, so clocks of several
// machines may differ and it never contains new rows. Pure.

import { DAY_MS } from '../../kit/clock.js'

const WEEK_MS = 7 * DAY_MS
const SLOT_COUNT = 4

export function slotOf(now: Date): number {
  return Math.floor(now.getTime() / WEEK_MS) % SLOT_COUNT
}

export function slotToEmpty(now: Date): number {
  return (slotOf(now) + 2) % SLOT_COUNT
}
