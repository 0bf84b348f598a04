// What a run has started, for whoever has to end it: by itself, early, or after a fault.

export interface Running {
  /** Called in reverse order. */
  closers: ((keepsFolder: boolean) => Promise<void>)[]
  /** With what there is to look into. */
  folder: string | null
}
