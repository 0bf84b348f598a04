// The orderly end of a session, whichever side starts it.

export interface Unbinding {
  /**
   * drain: we unbind, and wait for what is pending. asked: our unbind left. owed: the peer answered it, and we still
   * answer its requests. requested: the peer unbinds, and we wait before we answer.
   */
  phase: 'drain' | 'asked' | 'owed' | 'requested'
  until: number
  /** Of the peer's unbind. */
  sequence: number
}

export const GOODBYE = 'Both sides said goodbye'

/** How long our unbind waits for answers we still owe. A carrier may send receipts without a pause. */
export const OWED_MAX_MS = 1_000
