// The carrier limits of an approved campaign (decision 0029). Carriers set them by the brand's trust score
// and sometimes change them. Then this table must change too.

import type { CampaignLimits } from './campaign.js'

interface Band extends CampaignLimits {
  trustScoreMin: number
}

/** Highest score first. The last row also applies to brands that are not vetted. */
const BANDS: readonly Band[] = [
  { trustScoreMin: 75, smsTpmAtt: 4500, mmsTpmAtt: 2400, dailyTmoCap: 200_000 },
  { trustScoreMin: 50, smsTpmAtt: 2400, mmsTpmAtt: 1200, dailyTmoCap: 40_000 },
  { trustScoreMin: 1, smsTpmAtt: 240, mmsTpmAtt: 150, dailyTmoCap: 10_000 },
  { trustScoreMin: 0, smsTpmAtt: 240, mmsTpmAtt: 150, dailyTmoCap: 2_000 },
]

const LOW_VOLUME: CampaignLimits = { smsTpmAtt: 75, mmsTpmAtt: 50, dailyTmoCap: 2_000 }

export const NO_LIMITS: CampaignLimits = { smsTpmAtt: null, mmsTpmAtt: null, dailyTmoCap: null }

export function assignLimits(of: {
  trustScore: number | null
  isLowVolume: boolean
}): CampaignLimits {
  if (of.isLowVolume) return LOW_VOLUME
  const score = of.trustScore ?? 0
  const { trustScoreMin: _, ...limits } = BANDS.find((band) => score >= band.trustScoreMin)!
  return limits
}
