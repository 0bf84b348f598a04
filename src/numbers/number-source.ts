// What this room needs of a provider that numbers are rented from. The links in carriers/ implement it; this room
// never knows which one it talks to. Everything may be asked again: orders are found by our reference.

import type { HostedNumber, StockFilter } from './number.js'

export interface OfferedNumber {
  /** E.164 */
  number: string
  /** Where the provider says one. */
  location: string | null
}

interface WantedNumbers {
  areaCode: string | null
  /** Whether places near it will do where it has none. */
  nearby: boolean
  limit: number
}

export interface NumberOrder {
  /** Ours: the provider keeps it with the order. */
  reference: string
  phoneNumber: string
  /** Where the number belongs there; null where the provider takes that apart from the order. */
  profileId: string | null
}

export type OrderState =
  /** No order of this reference, and the number is not ours. */
  | { kind: 'none' }
  | { kind: 'pending' }
  | { kind: 'done'; numberId: string }
  | { kind: 'failed'; reason: string }

/** A number that is ours at the provider. */
export interface RentedThere {
  numberId: string
  phoneNumber: string
}

/** Each method throws a RemoteFault, and nothing else, where it came to nothing. */
export interface NumberSource {
  link: string
  /** What customers pay for a month. */
  monthlyPriceMicros: bigint
  /** How long an order that nobody answered for may still turn up. */
  settleMs: number
  search: (wanted: WantedNumbers) => Promise<OfferedNumber[]>
  /** Null: not for sale there. */
  find: (phoneNumber: string) => Promise<OfferedNumber | null>
  order: (order: NumberOrder) => Promise<OrderState>
  findOrder: (order: Pick<NumberOrder, 'reference' | 'phoneNumber'>) => Promise<OrderState>
  /** Of the settings: what the campaign's numbers belong to without asking. Null: it is made at need. */
  profileOf: (campaignId: string) => string | null
  findProfile: (campaignId: string) => Promise<string | null>
  createProfile: (campaignId: string) => Promise<string>
  /**
   * `campaignThere`: what the campaign is registered as, where it is registered through this provider. False: it takes
   * its time, and is to be asked again.
   */
  bind: (number: RentedThere, profileId: string, campaignThere: string | null) => Promise<boolean>
  /** Before it is bound elsewhere. Absent: binding takes it out of where it was. */
  unbind?: (number: RentedThere, profileId: string) => Promise<void>
  /** Absent: the provider forwards no calls by itself. */
  forward?: (number: RentedThere, target: string | null) => Promise<void>
  /** A number that is not ours any more is released. False: it takes its time, and is to be asked again. */
  release: (number: RentedThere) => Promise<boolean>
}

export interface BuyingCampaign {
  id: string
  /** The link that it is registered through; null: none. */
  registeredBy: string | null
}

/** The providers that the settings name at this moment. */
export interface NumberSources {
  /** Where numbers are bought, the preferred one first. None: from our own stock. */
  sellers: () => NumberSource[]
  /** Those of them whose numbers can send for the campaign. */
  sellersFor: (campaign: BuyingCampaign) => NumberSource[]
  /** Which of our own stock can send for the campaign; null: all of it. */
  stockFor: (campaignId: string) => StockFilter | null
  /** Whether a link that carries the campaign hosts the number. */
  canSend: (number: HostedNumber, campaignId: string) => boolean
  /** Also one that sells no more: what was bought there is released there. */
  find: (link: string) => NumberSource | null
}

export const NO_SOURCES: NumberSources = {
  sellers: () => [],
  sellersFor: () => [],
  stockFor: () => null,
  canSend: () => true,
  find: () => null,
}
