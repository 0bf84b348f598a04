// What this module needs from a provider that sells numbers. The links in carriers/ implement it. This module never
// knows which one it talks to. Every request may be repeated, because orders are found by our reference.

import type { HostedNumber, StockFilter } from './number.js'

export interface OfferedNumber {
  /** E.164 */
  number: string
  /** If the provider gives one. */
  location: string | null
}

interface NumberQuery {
  areaCode: string | null
  /** Whether nearby places are acceptable if it has none. */
  nearby: boolean
  limit: number
}

export interface NumberOrder {
  /** Ours. The provider stores it with the order. */
  reference: string
  phoneNumber: string
  /** Where the number belongs at the provider. Null if the provider sets that separately from the order. */
  profileId: string | null
}

export type OrderState =
  /** No order with this reference, and the number is not ours. */
  | { kind: 'none' }
  | { kind: 'pending' }
  | { kind: 'done'; numberId: string }
  | { kind: 'failed'; reason: string }

/** A number that is ours at the provider. */
export interface ProviderNumber {
  numberId: string
  phoneNumber: string
}

/** Each method throws a SourceFault, and nothing else, on failure. */
export interface NumberSource {
  link: string
  /** What customers pay for a month. */
  monthlyPriceMicros: bigint
  /** How long an order without a response may still appear. */
  settleMs: number
  search: (query: NumberQuery) => Promise<OfferedNumber[]>
  /** Null: not for sale there. */
  find: (phoneNumber: string) => Promise<OfferedNumber | null>
  order: (order: NumberOrder) => Promise<OrderState>
  findOrder: (order: Pick<NumberOrder, 'reference' | 'phoneNumber'>) => Promise<OrderState>
  /** From the settings: what the campaign's numbers belong to. Null: created when needed. */
  profileOf: (campaignId: string) => string | null
  findProfile: (campaignId: string) => Promise<string | null>
  createProfile: (campaignId: string) => Promise<string>
  /**
   * `campaignThere`: the campaign's registration, if it is registered through this provider. False: still in
   * progress, try again later.
   */
  bind: (
    number: ProviderNumber,
    profileId: string,
    campaignThere: string | null,
  ) => Promise<boolean>
  /** Before it is bound elsewhere. Absent: binding also removes it from its old place. */
  unbind?: (number: ProviderNumber, profileId: string) => Promise<void>
  /** Absent: the provider does not forward calls. */
  forward?: (number: ProviderNumber, target: string | null) => Promise<void>
  /** A number that is no longer ours counts as released. False: still in progress, try again later. */
  release: (number: ProviderNumber) => Promise<boolean>
}

export interface BuyingCampaign {
  id: string
  /** The link that it is registered through. Null: none. */
  registeredBy: string | null
}

/** The providers currently in the settings. */
export interface NumberSources {
  /** Where numbers are bought, preferred one first. None: our own stock. */
  sellers: () => NumberSource[]
  /** Which of them have numbers that can send for the campaign. */
  sellersFor: (campaign: BuyingCampaign) => NumberSource[]
  /** Which own-stock numbers can send for the campaign. Null: all of it. */
  stockFor: (campaignId: string) => StockFilter | null
  /** Whether a link that carries the campaign hosts the number. */
  canSend: (number: HostedNumber, campaignId: string) => boolean
  /** Also one that no longer sells: its numbers are released there. */
  find: (link: string) => NumberSource | null
}

export const NO_SOURCES: NumberSources = {
  sellers: () => [],
  sellersFor: () => [],
  stockFor: () => null,
  canSend: () => true,
  find: () => null,
}
