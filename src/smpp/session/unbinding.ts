// The orderly end of a session, whichever side starts it.

export interface Unbinding {
  /**
   * drain: we unbind and wait for pending requests. asked: our unbind was sent. owed: the peer answered it, and
   * we still respond to its requests. requested: the peer unbinds, and we wait before we respond.
   */
  phase: 'drain' | 'asked' | 'owed' | 'requested'
  until: number
  /** The sequence number of the peer's unbind. */
  sequence: number
}

export const GOODBYE = 'Both sides said goodbye'

/** How long our unbind waits for responses that we still owe. A carrier may send receipts without a pause. */
export const OWED_MAX_MS = 1_000
