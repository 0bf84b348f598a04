// When a campaign renews: each month on the day of its approval, at the same time of day, UTC. A month that
// is too short renews on its last day, and the next longer month restores the day (decision 0031).

/** `renewalDay` is the day of approval, not that of `moment`, which a short month may have clamped. */
export function oneMonthLater(moment: Date, renewalDay: number): Date {
  const year = moment.getUTCFullYear()
  const month = moment.getUTCMonth() + 1
  const later = new Date(moment)
  later.setUTCFullYear(year, month, Math.min(renewalDay, lastDayOf(year, month)))
  return later
}

// Day 0 of a month is the last of the one before; month 12 is January of the next year.
function lastDayOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
}
