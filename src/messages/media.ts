// How much media a message may carry.

export const MEDIA_BYTES_MAX = 5_000_000
export const MEDIA_COUNT_MAX = 10
