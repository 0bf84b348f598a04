// How long a link may keep a message: whoever hands one over waits for its answer.

export interface SenderLimits {
  /** How long a message may wait for its turn. */
  waitMaxMs: number
  /** How long one may take in all, once a part of it has left. */
  takeMaxMs: number
  lookEveryMs: number
}

/** Whoever hands messages over takes 45 seconds of silence for `unknown`. */
export const USUAL_LIMITS: SenderLimits = {
  waitMaxMs: 20_000,
  takeMaxMs: 42_000,
  lookEveryMs: 1_000,
}
