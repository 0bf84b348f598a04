// What passes between a carrier and us over HTTP: its callbacks, and the files of messages.

/** A carrier's HTTP callback, with its raw body. */
export interface CallbackRequest {
  method: string
  /** The part after the link's own address, for example `/status/msg_…`. */
  path: string
  query: Readonly<Record<string, string | readonly string[] | undefined>>
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  body: Buffer
}

export interface CallbackReply {
  status: number
  contentType?: string
  body?: string
}

/** How much media a link accepts with one message, in bytes. */
export interface MediaTerms {
  /** All files together. */
  bytesMax: number
  /** A file that is not a picture. */
  otherBytesMax: number
}

/** What a request for a file on the carrier's own host must contain. */
export interface MediaAccess {
  headers: Readonly<Record<string, string>>
}
