// How much media a message may carry.

/** Per file: a photo as phones take it. Networks accept much less, so pictures are resized. */
export const FILE_BYTES_MAX = 10_000_000
export const MEDIA_COUNT_MAX = 10
