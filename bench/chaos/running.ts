// Everything a run has started, to end it: at its normal end, early, or after a failure.

export interface Running {
  /** Called in reverse order. */
  closers: ((keepsFolder: boolean) => Promise<void>)[]
  /** With what there is to look into. */
  folder: string | null
}
