// The failure of a request to another company's API, with what the caller can do next. Modules that use such an API
// throw and catch this one type for every provider.

export type RemoteFaultKind =
  /** Understood and refused: a retry without changes cannot succeed. */
  | 'refused'
  /** Nothing was created: try again later. */
  | 'later'
  /** It may have been created: look it up before trying again. */
  | 'unknown'

export class RemoteFault extends Error {
  readonly kind: RemoteFaultKind
  /** The provider's error code, if there is one. */
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
