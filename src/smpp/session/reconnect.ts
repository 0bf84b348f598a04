// How long to wait before reconnecting: longer each time, with random jitter so binds that were cut together do not
// return together.

export interface ReconnectSettings {
  firstMs: number
  maxMs: number
}

/** `failures`: in a row, 0 after a stable bind. `random`: 0 inclusive to 1 exclusive. */
export function reconnectDelayMs(
  { firstMs, maxMs }: ReconnectSettings,
  failures: number,
  random: number,
): number {
  const delay = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30))
  return Math.round(delay / 2 + (delay / 2) * random)
}
