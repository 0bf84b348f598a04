// What the codes of the skeleton provider mean for a message.

import { defineCodes } from '../../../src/carriers/providers/provider-codes.js'

export const SKELETON_CODES = defineCodes({
  1350: ['bad_number'],
  throttled: ['too_many'],
  fault: ['bad_key'],
})
