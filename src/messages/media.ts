// How much media a message may carry.

/** Of one file: a photo as phones take it. Networks accept much less, so pictures are made smaller. */
export const FILE_BYTES_MAX = 10_000_000
export const MEDIA_COUNT_MAX = 10
