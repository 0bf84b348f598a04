// The 10DLC API of a fake Telnyx: brands, campaigns, the results of their reviews, and the numbers assigned to
// campaigns. The test decides the results.

import type { NumberReply, NumberRequest } from './fake-numbers.js'

type Fields = Record<string, unknown>

export interface FakeBrand extends Fields {
  brandId: string
  status: string
  identityStatus: string
}

export interface FakeCampaign extends Fields {
  campaignId: string
  campaignStatus: string
}

export interface FakeAssignment {
  phoneNumber: string
  campaignId: string
  assignmentStatus: string
  failureReasons?: string
}

const NOT_FOUND = { status: 404, body: { errors: [{ code: '10005', title: 'Not found' }] } }

export class FakeRegistry {
  readonly brands = new Map<string, FakeBrand>()
  readonly campaigns = new Map<string, FakeCampaign>()
  readonly feedback = new Map<string, Fields[]>()
  readonly vettings = new Map<string, Fields[]>()
  /** By campaign: its limits at each carrier. */
  readonly networks = new Map<string, Fields>()
  /** By campaign: whether the carriers accept it. */
  readonly carried = new Map<string, Fields>()
  readonly assignments = new Map<string, FakeAssignment>()
  readonly appeals: { campaignId: string; reason: string }[] = []
  readonly revets: string[] = []
  /** The status of new brands and campaigns. */
  brandsAre: Fields = { status: 'OK', identityStatus: 'VERIFIED' }
  campaignsAre: Fields = { campaignStatus: 'MNO_PROVISIONED' }
  assignmentsAre = 'ASSIGNED'
  #count = 0

  get brand(): FakeBrand {
    return [...this.brands.values()].at(-1)!
  }

  get campaign(): FakeCampaign {
    return [...this.campaigns.values()].at(-1)!
  }

  webhookOf(what: 'brand' | 'campaign', id: string): string {
    const record = what === 'brand' ? this.brands.get(id) : this.campaigns.get(id)
    return String(record?.webhookURL)
  }

  /** Returns null for requests that are not about registrations. */
  answer({ method, path, query, body }: NumberRequest): NumberReply {
    const [, ten, what = '', id = '', part = ''] = path.split('/').slice(1).map(decodeURIComponent)
    if (ten !== '10dlc') return null
    const fields: Fields = body === '' ? {} : JSON.parse(body)
    switch (what) {
      case 'brand':
        return this.#ofBrands({ method, id, part, query, fields })
      case 'campaignBuilder':
        return this.#createCampaign(fields)
      case 'campaign':
        return this.#ofCampaigns({ method, id, part, query, fields })
      default:
        return this.#ofNumbers({ method, id, fields })
    }
  }

  #ofBrands({ method, id, part, query, fields }: Asked & { query: URLSearchParams }): NumberReply {
    if (id === '' && method === 'POST') {
      const brandId = this.#nextId('4b20')
      const brand = { ...fields, ...this.brandsAre, brandId } as FakeBrand
      this.brands.set(brandId, brand)
      return ok(brand)
    }
    if (id === '') {
      const name = query.get('displayName')
      const found = [...this.brands.values()].filter((one) => one.displayName === name)
      const records = found.map(({ brandId, displayName, companyName }) => ({
        ...{ brandId, displayName, companyName },
      }))
      return ok({ page: 1, records, totalRecords: records.length })
    }
    if (id === 'feedback') return ok({ brandId: part, category: this.feedback.get(part) ?? [] })
    const brand = this.brands.get(id)
    if (!brand) return NOT_FOUND
    if (part === 'externalVetting') return ok(this.vettings.get(id) ?? [])
    if (part === 'revet') this.revets.push(id)
    else if (method === 'PUT') Object.assign(brand, fields)
    return ok(brand)
  }

  #createCampaign(fields: Fields): NumberReply {
    const { referenceId, brandId } = fields
    if (!this.brands.has(String(brandId))) return NOT_FOUND
    if ([...this.campaigns.values()].some((one) => one.referenceId === referenceId)) {
      const errors = [{ code: '10015', title: 'Bad Request', detail: 'referenceId is not unique' }]
      return { status: 400, body: { errors } }
    }
    const campaignId = this.#nextId('4b30')
    const campaign = { ...fields, status: 'ACTIVE', ...this.campaignsAre, campaignId }
    this.campaigns.set(campaignId, campaign as unknown as FakeCampaign)
    return ok(campaign)
  }

  #ofCampaigns({ method, id, part, query, fields }: Asked & { query: URLSearchParams }) {
    if (id === '') {
      const brandId = query.get('brandId')
      const records = [...this.campaigns.values()].filter((one) => one.brandId === brandId)
      return ok({ page: 1, records, totalRecords: records.length })
    }
    const campaign = this.campaigns.get(id)
    if (!campaign) return NOT_FOUND
    if (part === 'mnoMetadata') return ok(this.networks.get(id) ?? {})
    if (part === 'operationStatus') return ok(this.carried.get(id) ?? {})
    if (part === 'appeal') {
      this.appeals.push({ campaignId: id, reason: String(fields.appeal_reason) })
      campaign.campaignStatus = 'TCR_ACCEPTED'
    } else if (method === 'PUT') Object.assign(campaign, fields)
    else if (method === 'DELETE') campaign.status = 'EXPIRED'
    return ok(campaign)
  }

  #ofNumbers({ method, id, fields }: Omit<Asked, 'part'>): NumberReply {
    if (method === 'POST') {
      const { phoneNumber, campaignId } = fields as { phoneNumber: string; campaignId: string }
      const made = { phoneNumber, campaignId, assignmentStatus: this.assignmentsAre }
      this.assignments.set(phoneNumber, made)
      return ok(made)
    }
    const known = this.assignments.get(id)
    if (!known) return NOT_FOUND
    if (method === 'DELETE') this.assignments.delete(id)
    return ok(known)
  }

  #nextId(prefix: string): string {
    this.#count += 1
    return `${prefix}0000-0000-4000-8000-${String(this.#count).padStart(12, '0')}`
  }
}

interface Asked {
  method: string
  id: string
  part: string
  fields: Fields
}

function ok(body: unknown): NumberReply {
  return { status: 200, body }
}
