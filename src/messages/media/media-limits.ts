// How much media a message may carry to a network by a link, and how its files share that. Pure. The limits are
// data.

import type { MediaTerms } from '../carrier-http.js'
import type { Network } from '../carrier-port.js'

/** For a whole message from a long code, in bytes, by network. If the network is unknown, the smallest limit. */
const NETWORK_BYTES: Readonly<Record<Network, number>> = {
  att: 1_000_000,
  vzw: 1_000_000,
  tmo: 1_500_000,
}
const SAFE_BYTES = 600_000

/** A message travels with headers and its files in base64, so pictures are resized to fit including that. */
const TRAVEL_FACTOR = 1.4

/** Target sizes of pictures are rounded down to this, so a resized picture can serve several messages. */
const STEP_BYTES = 25_000

export interface MediaLimits extends MediaTerms {
  /** The total size of all files after pictures were resized as far as possible. */
  pictureBytes: number
}

export function limitsOf(terms: MediaTerms, network: Network | null): MediaLimits {
  const onNetwork = network === null ? SAFE_BYTES : NETWORK_BYTES[network]
  const bytesMax = Math.min(terms.bytesMax, onNetwork)
  return {
    bytesMax,
    otherBytesMax: Math.min(terms.otherBytesMax, bytesMax),
    pictureBytes: Math.floor(bytesMax / TRAVEL_FACTOR),
  }
}

export interface SharingFile {
  bytes: number
  canShrink: boolean
}

/**
 * How many bytes each file may have. Files that cannot be resized keep their size. Pictures share the rest, small
 * ones first, so large ones get what is left. Null: they do not fit.
 */
export function shareOut(files: readonly SharingFile[], limits: MediaLimits): number[] | null {
  const others = files.filter(({ canShrink }) => !canShrink)
  if (others.some(({ bytes }) => bytes > limits.otherBytesMax)) return null
  const taken = others.reduce((sum, { bytes }) => sum + bytes, 0)
  if (taken > limits.bytesMax) return null
  let left = limits.pictureBytes - taken
  const shares = files.map(({ bytes }) => bytes)
  const pictures = files.flatMap((file, i) => (file.canShrink ? [i] : []))
  pictures.sort((a, b) => files[a]!.bytes - files[b]!.bytes)
  for (const [done, i] of pictures.entries()) {
    const share = Math.floor(left / (pictures.length - done) / STEP_BYTES) * STEP_BYTES
    if (share < STEP_BYTES) return null
    shares[i] = share
    left -= Math.min(share, files[i]!.bytes)
  }
  return shares
}
