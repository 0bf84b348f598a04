// Everything a run has started, so it can be stopped at the normal end, early, or after a failure.

export interface Running {
  /** Called in reverse order. */
  closers: ((keepsFolder: boolean) => Promise<void>)[]
  /** The folder with the logs. */
  folder: string | null
}
