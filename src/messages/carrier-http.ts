// What passes between a carrier and us over HTTP: its callbacks, and the files of messages.

/** What a carrier calls over HTTP, with its body as it came. */
export interface CallbackRequest {
  method: string
  /** After the link's own address, such as `/status/msg_…`. */
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

/** How much media a link takes with one message, in bytes. */
export interface MediaTerms {
  /** Of all files together. */
  bytesMax: number
  /** Of a file that is no picture. */
  otherBytesMax: number
}

/** What a request for a file on the carrier's own host needs to show. */
export interface MediaAccess {
  headers: Readonly<Record<string, string>>
}
