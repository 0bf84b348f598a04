// The fields for a link's rate, the same for every kind of link.

import { Type } from 'typebox'
import type { Problem } from '../../kit/settings-file/settings-document.js'

export const RateFields = {
  perSecond: Type.Optional(Type.Number({ minimum: 0.1, maximum: 100_000 })),
  shared: Type.Boolean({ default: false }),
}

export interface RateOwn {
  perSecond?: number
  shared: boolean
}

export function shareProblems({ shared, perSecond }: RateOwn): Problem[] {
  if (!shared || (perSecond !== undefined && perSecond >= 1)) return []
  return [{ path: ['shared'], text: 'needs perSecond, 1 or more: that is what processes share' }]
}
