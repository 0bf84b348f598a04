// How much media providers take with one message, in octets. They fetch it from us: what they would refuse is made smaller, or fails
// before it costs. From their pages, as of 2026.

import type { MediaTerms } from '../../messages/carrier-port.js'

export const MEDIA_TERMS: Readonly<Record<string, MediaTerms>> = {
  // "less than 1 MB in all" (error 40317).
  telnyx: { bytesMax: 1_000_000, otherBytesMax: 1_000_000 },
  // Its own store takes 3.75 MB; what is larger than networks take is theirs to refuse.
  bandwidth: { bytesMax: 3_750_000, otherBytesMax: 3_750_000 },
  // 5 MB in all; what is no JPEG, PNG or GIF: 500 kB.
  twilio: { bytesMax: 5_000_000, otherBytesMax: 500_000 },
}
