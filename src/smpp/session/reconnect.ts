// How long to wait before reconnecting: longer each time, with random jitter so binds that were cut together do not
// return together.

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
