// How long to wait before a connection is tried again: longer each time, and never at the same moment as the
// other binds that were cut with it.

export interface ReconnectSettings {
  firstMs: number
  maxMs: number
}

/** `failures`: in a row, 0 after a bind that stood. `random`: from 0 to below 1. */
export function reconnectDelayMs(
  { firstMs, maxMs }: ReconnectSettings,
  failures: number,
  random: number,
): number {
  const delay = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30))
  return Math.round(delay / 2 + (delay / 2) * random)
}
