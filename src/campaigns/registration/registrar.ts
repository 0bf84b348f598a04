// What this room needs of a provider that registers brands and campaigns with the carriers. The links in carriers/
// implement it; this room never knows which one it talks to. Everything may be asked again: what was handed in is found
// by our reference.

import type { Brand, ReviewNote } from '../../brands/brand.js'
import type { RegistrarTerms } from '../../brands/registration.js'
import type { Campaign, Limits } from '../campaign.js'

export interface BrandEntry {
  /** Ours: the provider keeps it with the brand. */
  reference: string
  brand: Brand
}

export interface CampaignEntry {
  reference: string
  campaign: Campaign
  brand: Brand
  /** The provider's own id of the brand. */
  brandThere: string
}

export type BrandThere =
  | { kind: 'pending' }
  /** Not verified, without a reason: it may still be at work, or have come to its end. */
  | { kind: 'unverified' }
  | { kind: 'verified' }
  | { kind: 'vetted'; trustScore: number | null }
  | { kind: 'refused'; notes: ReviewNote[] }

export type CampaignThere =
  | { kind: 'pending' }
  | { kind: 'approved' }
  | { kind: 'returned'; notes: ReviewNote[] }
  | { kind: 'suspended' }
  /** Something that only the host and the provider can mend. */
  | { kind: 'stuck'; detail: string }

/** What the networks say of an approved campaign. */
interface NetworksThere {
  /** What they allow it; what they do not say is left out. */
  limits: Partial<Limits>
  /** Those that do not carry it yet, or not any more, each with its word: "T-Mobile: REVIEW". */
  uncarried: string[]
}

/** Each method throws a RemoteFault, and nothing else, where it came to nothing. */
export interface Registrar extends RegistrarTerms {
  /** How long what nobody answered for may still turn up. */
  settleMs: number
  /** The provider's id. */
  createBrand: (entry: BrandEntry) => Promise<string>
  /** What was handed in before, by our reference. */
  findBrand: (entry: BrandEntry) => Promise<string | null>
  /** The brand was mended: it is changed there, and verified anew. Doing it twice is doing it once. */
  reviseBrand: (id: string, entry: BrandEntry) => Promise<void>
  readBrand: (id: string) => Promise<BrandThere>
  createCampaign: (entry: CampaignEntry) => Promise<string>
  findCampaign: (entry: Pick<CampaignEntry, 'reference' | 'brandThere'>) => Promise<string | null>
  /** The campaign was mended. False: what has changed cannot be changed there, and it is to be handed in anew. */
  reviseCampaign: (id: string, entry: CampaignEntry) => Promise<boolean>
  readCampaign: (id: string) => Promise<CampaignThere>
  readNetworks: (id: string) => Promise<NetworksThere>
  /** One that is not there any more has ended. */
  endCampaign: (id: string) => Promise<void>
}

/** The providers that the settings name at this moment. */
export interface Registrars {
  /** Through which what is submitted now is registered; null: the service decides by itself. */
  current: () => Registrar | null
  /** Also one that is not the first any more: what was handed in there is followed there. */
  find: (link: string) => Registrar | null
}

export const NO_REGISTRARS: Registrars = { current: () => null, find: () => null }
