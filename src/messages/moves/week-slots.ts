// The slots of tables that are kept for a week or two and emptied without a scan: one for each of four weeks in
// turn. What is written now goes into this week's; the one that comes after the next is emptied meanwhile, so
// that clocks of several machines may differ and nothing fresh is ever in it. Pure.

const WEEK_MS = 7 * 24 * 60 * 60 * 1000
const SLOT_COUNT = 4

export function slotOf(now: Date): number {
  return Math.floor(now.getTime() / WEEK_MS) % SLOT_COUNT
}

export function slotToEmpty(now: Date): number {
  return (slotOf(now) + 2) % SLOT_COUNT
}
