// What this module needs from a provider that registers brands and campaigns with the carriers. The links in
// carriers/ implement it, and this module does not know which one it uses. Every request can be repeated:
// earlier submissions are found by our reference.

import type { Brand, ReviewNote } from '../../brands/brand.js'
import type { RegistrarTerms } from '../../brands/registration.js'
import type { Campaign, CampaignLimits } from '../campaign.js'

export interface BrandEntry {
  /** Our reference, which the provider stores with the brand. */
  reference: string
  brand: Brand
}

export interface CampaignEntry {
  reference: string
  campaign: Campaign
  brand: Brand
  /** The provider's ID of the brand. */
  brandThere: string
}

export type BrandThere =
  | { kind: 'pending' }
  /** Not verified, without a reason: the provider may still be working on it, or be finished. */
  | { kind: 'unverified' }
  | { kind: 'verified' }
  | { kind: 'vetted'; trustScore: number | null }
  | { kind: 'refused'; notes: ReviewNote[] }

export type CampaignThere =
  | { kind: 'pending' }
  | { kind: 'approved' }
  | { kind: 'returned'; notes: ReviewNote[] }
  | { kind: 'suspended' }
  /** A problem that only the host and the provider can fix. */
  | { kind: 'stuck'; detail: string }

/** What the networks report about an approved campaign. */
interface NetworksThere {
  /** Their limits for it. Limits they do not report are left out. */
  limits: Partial<CampaignLimits>
  /** Networks that do not carry it yet or any more, each with its reason: "T-Mobile: REVIEW". */
  uncarried: string[]
}

/** Each method throws a RemoteFault, and nothing else, if it fails. */
export interface Registrar extends RegistrarTerms {
  /** How long a submission without a response may still appear. */
  settleMs: number
  /** The provider's ID. */
  createBrand: (entry: BrandEntry) => Promise<string>
  /** Finds an earlier submission by our reference. */
  findBrand: (entry: BrandEntry) => Promise<string | null>
  /** Updates a corrected brand there and requests verification again. It can be repeated safely. */
  reviseBrand: (id: string, entry: BrandEntry) => Promise<void>
  readBrand: (id: string) => Promise<BrandThere>
  createCampaign: (entry: CampaignEntry) => Promise<string>
  findCampaign: (entry: Pick<CampaignEntry, 'reference' | 'brandThere'>) => Promise<string | null>
  /**
   * Updates a corrected campaign. False: the changes are not possible there, and it must be submitted again.
   */
  reviseCampaign: (id: string, entry: CampaignEntry) => Promise<boolean>
  readCampaign: (id: string) => Promise<CampaignThere>
  readNetworks: (id: string) => Promise<NetworksThere>
  /** A campaign that no longer exists there has ended. */
  endCampaign: (id: string) => Promise<void>
}

/** The providers in the current settings. */
export interface Registrars {
  /** The provider for new submissions; null: the service decides itself. */
  current: () => Registrar | null
  /** Includes providers that are no longer first: earlier submissions are followed there. */
  find: (link: string) => Registrar | null
}

export const NO_REGISTRARS: Registrars = { current: () => null, find: () => null }
