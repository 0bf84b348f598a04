// A campaign's default keyword replies and name. The replies begin with the brand's name, as the contract
// requires, followed by what carriers require.

import { type BrandFields, brandName } from '../brands/brand.js'
import type { Campaign, Replies } from './campaign.js'
import { usecaseLabel } from './usecase.js'

type Named = Pick<BrandFields, 'displayName' | 'entityName' | 'websiteUrl'>
type Source = Pick<Campaign, 'usecase' | 'optinKeywords' | 'optoutKeywords' | 'helpKeywords'>

export type Defaults = Replies & { displayName: string }

/** The link comes last without a period, because phones would make the period part of the link. */
export function defaultsOf(campaign: Source, brand: Named): Defaults {
  const name = brandName(brand)
  const [start = 'START'] = campaign.optinKeywords
  const [stop = 'STOP'] = campaign.optoutKeywords
  const [help = 'HELP'] = campaign.helpKeywords
  return {
    displayName: campaign.usecase ? `${name}: ${usecaseLabel(campaign.usecase)}` : name,
    optinMessage: `${name}: You will now receive our messages. Frequency varies. Msg & data rates may apply. Reply ${help} for help, ${stop} to opt out.`,
    optoutMessage: `${name}: You have opted out and will receive no more messages. Reply ${start} to opt in again.`,
    helpMessage: `${name}: Reply ${stop} to opt out. Msg & data rates may apply. For help: ${brand.websiteUrl ?? ''}`,
  }
}
