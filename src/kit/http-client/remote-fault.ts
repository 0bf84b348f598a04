// What went wrong with a request to another company's API, so the caller knows what to do next. Rooms that use such an API
// throw and catch this one type, whichever provider answers.

export type RemoteFaultKind =
  /** Understood and refused: trying again as it is changes nothing. */
  | 'refused'
  /** Nothing was created: try again later. */
  | 'later'
  /** It may have been created: look for it before trying again. */
  | 'unknown'

export class RemoteFault extends Error {
  readonly kind: RemoteFaultKind
  /** The provider's code, where it gives one. */
  readonly code: string | null
  /** The problems by field, if the refusal names any. */
  readonly notes: readonly { field: string; note: string }[]

  constructor(
    kind: RemoteFaultKind,
    message: string,
    { code = null, notes = [] }: Partial<Pick<RemoteFault, 'code' | 'notes'>> = {},
  ) {
    super(message)
    this.name = 'RemoteFault'
    this.kind = kind
    this.code = code
    this.notes = notes
  }
}
