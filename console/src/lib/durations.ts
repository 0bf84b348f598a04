// Lengths of time in milliseconds.

export const MINUTE_MS = 60_000
export const DAY_MS = 24 * 60 * MINUTE_MS
