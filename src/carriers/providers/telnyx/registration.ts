// Registration through Telnyx's 10DLC API. A campaign carries our reference. A brand cannot, so it is found by its
// callback URL, which is unique to us. Callbacks are only hints: the state is always fetched.

import type { ReviewNote } from '../../../brands/brand.js'
import type { Vertical } from '../../../brands/verticals.js'
import type { CampaignLimits } from '../../../campaigns/campaign.js'
import type {
  BrandEntry,
  BrandThere,
  CampaignEntry,
  CampaignThere,
  Registrar,
} from '../../../campaigns/registration/registrar.js'
import { RemoteFault } from '../../../kit/http-client/remote-fault.js'
import type { ProviderAnswer, ProviderRequest } from '../provider.js'
import type { ProviderClient, ProviderError } from '../provider-client.js'
import type { RegistrarSettings } from '../provider-module.js'
import { listAt, objectAt, parseJson, textAt } from '../read-answer.js'
import {
  brandFields,
  campaignFields,
  changesOf,
  failureNotes,
  type RegistrationKind,
  reasonNotes,
} from './registration-fields.js'

export interface TelnyxRegistrarSettings extends RegistrarSettings {
  vertical: Vertical | null
  /** Test mode: brands that cost nothing and reach no network. */
  isMock: boolean
  baseUrl: string
  key: string
}

type Send = (
  method: ProviderRequest['method'],
  path: string,
  fields?: object,
  kind?: RegistrationKind,
) => Promise<unknown>

const PAGE = 'recordsPerPage=100&sort=-createdAt'

export function createTelnyxRegistrar(
  settings: TelnyxRegistrarSettings,
  client: ProviderClient,
): Registrar {
  const { link, vertical, settleMs, callbackUrl } = settings
  const send = sendOf(settings, client)
  const addressOf = ({ accountId, id }: { accountId: string; id: string }) =>
    `${callbackUrl}/registration/${accountId}/${id}`
  const fieldsOfBrand = ({ brand }: BrandEntry) =>
    brandFields(brand, { webhookURL: addressOf(brand), vertical, isMock: settings.isMock })
  const fieldsOfCampaign = (entry: CampaignEntry) =>
    campaignFields(entry, addressOf(entry.campaign))

  return {
    ...{ link, vertical, settleMs },
    createBrand: async (entry) =>
      idIn(await send('POST', 'brand', fieldsOfBrand(entry), 'brand'), 'brandId'),
    findBrand: async (entry) => findBrand(send, fieldsOfBrand(entry)),
    reviseBrand: async (id, entry) => {
      const { mock: _, ...fields } = { mock: undefined, ...fieldsOfBrand(entry) }
      const path = `brand/${encodeURIComponent(id)}`
      present(await send('PUT', path, fields, 'brand'), 'brand')
      // The change alone also triggers a verification. Explicit requests are limited in number.
      await send('PUT', `${path}/revet`).catch((error) => {
        if (!(error instanceof RemoteFault) || error.kind !== 'refused') throw error
      })
    },
    readBrand: (id) => readBrand(send, `brand/${encodeURIComponent(id)}`, id),
    createCampaign: async (entry) =>
      idIn(
        await send('POST', 'campaignBuilder', fieldsOfCampaign(entry), 'campaign'),
        'campaignId',
      ),
    findCampaign: async ({ reference, brandThere }) => {
      const answer = await send('GET', `campaign?brandId=${encodeURIComponent(brandThere)}&${PAGE}`)
      const own = listAt(answer, 'records').find((one) => textAt(one, 'referenceId') === reference)
      return textAt(own, 'campaignId')
    },
    reviseCampaign: (id, entry) => reviseCampaign(send, id, fieldsOfCampaign(entry)),
    readCampaign: async (id) =>
      campaignThere(present(await send('GET', campaignPath(id)), 'campaign')),
    readNetworks: async (id) => {
      const metadata = present(await send('GET', `${campaignPath(id)}/mnoMetadata`), 'campaign')
      const operationStatus = await send('GET', `${campaignPath(id)}/operationStatus`).catch(
        unlessFault,
      )
      return { limits: limitsIn(metadata), uncarried: uncarriedIn(operationStatus, metadata) }
    },
    // Not found: it has ended.
    endCampaign: async (id) => {
      await send('DELETE', campaignPath(id))
    },
  }
}

function sendOf({ baseUrl, key }: TelnyxRegistrarSettings, client: ProviderClient): Send {
  return async (method, path, fields, kind = 'campaign') => {
    const json = { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${key}`, ...(fields && json) }
    const body = fields && { body: JSON.stringify(fields) }
    const request = { method, url: `${baseUrl}/v2/10dlc/${path}`, headers, ...body }
    const parseError = (answer: ProviderAnswer) => parseRegistryError(kind, answer)
    const answer = await client.request(request, { parseError })
    return answer && parseJson(answer.body)
  }
}

function parseRegistryError(kind: RegistrationKind, { body }: ProviderAnswer): ProviderError {
  const parsed = parseJson(body)
  const error = objectAt(parsed, 'errors', 0)
  const text = textAt(error, 'detail') ?? textAt(error, 'title') ?? textAt(parsed, 'detail')
  const found = failureNotes(kind, parsed)
  const reason = text ?? 'The registry did not take it, and gave no reason.'
  const notes: ReviewNote[] = found.length > 0 ? found : reasonNotes(kind, reason)
  return { code: textAt(error, 'code'), text, notes }
}

const campaignPath = (id: string) => `campaign/${encodeURIComponent(id)}`

function idIn(answer: unknown, name: string): string {
  const id = textAt(answer, name)
  if (id === null) throw new RemoteFault('unknown', `An answer without ${name}.`)
  return id
}

function present(answer: unknown, what: string): unknown {
  if (answer === null) throw new RemoteFault('later', `The provider has no such ${what} any more.`)
  return answer
}

/** Several brands may have the name. The callback URL is unique to one. */
async function findBrand(
  send: Send,
  { displayName, webhookURL }: ReturnType<typeof brandFields>,
): Promise<string | null> {
  const answer = await send('GET', `brand?displayName=${encodeURIComponent(displayName)}&${PAGE}`)
  for (const one of listAt(answer, 'records')) {
    const id = textAt(one, 'brandId')
    if (id === null || textAt(one, 'displayName') !== displayName) continue
    const brand = await send('GET', `brand/${encodeURIComponent(id)}`)
    if (textAt(brand, 'webhookURL') === webhookURL) return id
  }
  return null
}

async function readBrand(send: Send, path: string, id: string): Promise<BrandThere> {
  const brand = present(await send('GET', path), 'brand')
  const reasons = reasonNotes('brand', objectAt(brand).failureReasons)
  if (textAt(brand, 'status') === 'REGISTRATION_FAILED') {
    return reasons.length > 0 ? { kind: 'refused', notes: reasons } : { kind: 'unverified' }
  }
  switch (textAt(brand, 'identityStatus')) {
    case 'VERIFIED':
      return { kind: 'verified' }
    case 'VETTED_VERIFIED':
      return { kind: 'vetted', trustScore: scoreIn(await send('GET', `${path}/externalVetting`)) }
    case 'UNVERIFIED': {
      const feedback = await send('GET', `brand/feedback/${encodeURIComponent(id)}`)
      const notes = listAt(feedback, 'category').flatMap((one) => reasonNotes('brand', one))
      return notes.length > 0 ? { kind: 'refused', notes } : { kind: 'unverified' }
    }
    default:
      return { kind: 'pending' }
  }
}

/** From the latest completed vetting. */
export function scoreIn(answer: unknown): number | null {
  const list = Array.isArray(answer) ? answer : listAt(answer, 'records')
  const ended = list.filter((one) => textAt(one, 'vettedDate') && textAt(one, 'vettingScore'))
  const dateOf = (one: unknown) => textAt(one, 'vettedDate') ?? ''
  const [latest] = ended.toSorted((a, b) => (dateOf(a) < dateOf(b) ? 1 : -1))
  const score = Number(textAt(latest, 'vettingScore') ?? Number.NaN)
  return Number.isInteger(score) && score >= 0 && score <= 100 ? score : null
}

const RETURNED = new Set(['TCR_FAILED', 'TELNYX_FAILED', 'MNO_REJECTED'])
const SUSPENDED = new Set(['TCR_SUSPENDED', 'TCR_EXPIRED'])
const NO_REASON = 'The registry sent the campaign back, and gave no reason.'

export function campaignThere(answer: unknown): CampaignThere {
  const status = textAt(answer, 'campaignStatus') ?? ''
  const reasons = objectAt(answer).failureReasons
  const isFailed = textAt(answer, 'submissionStatus') === 'FAILED'
  if (RETURNED.has(status) || isFailed) {
    const notes = reasonNotes('campaign', reasons)
    return {
      kind: 'returned',
      notes: notes.length > 0 ? notes : reasonNotes('campaign', NO_REASON),
    }
  }
  if (SUSPENDED.has(status) || textAt(answer, 'status') === 'EXPIRED') return { kind: 'suspended' }
  if (status === 'MNO_PROVISIONED') return { kind: 'approved' }
  if (status === 'MNO_PROVISIONING_FAILED') {
    const why = typeof reasons === 'string' && reasons !== '' ? `: ${reasons}` : '.'
    return { kind: 'stuck', detail: `The networks could not set the campaign up${why}` }
  }
  return { kind: 'pending' }
}

/** The networks with limits, by their IDs at the registry. */
const ATT = '10017'
const TMO = '10035'
const NETWORKS: Readonly<Record<string, string>> = { [ATT]: 'AT&T', [TMO]: 'T-Mobile' }

export function limitsIn(answer: unknown): Partial<CampaignLimits> {
  const limits = {
    smsTpmAtt: countIn(answer, ATT, 'tpm'),
    mmsTpmAtt: countIn(answer, ATT, 'mmsTpm'),
    dailyTmoCap: countIn(answer, TMO, 'brandDailyCap'),
  }
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null))
}

const CARRIED = new Set(['APPROVED', 'REGISTERED', 'ACTIVE', 'PROVISIONED'])

/** Networks that have not accepted. An unknown status is shown unchanged. */
export function uncarriedIn(answer: unknown, metadata: unknown): string[] {
  return Object.keys(objectAt(answer)).flatMap((network) => {
    const word = textAt(answer, network)
    if (word === null || CARRIED.has(word.toUpperCase())) return []
    return `${textAt(metadata, network, 'mno') ?? NETWORKS[network] ?? `network ${network}`}: ${word}`
  })
}

/** A campaign does not wait for optional information. */
function unlessFault(error: unknown): null {
  if (error instanceof RemoteFault) return null
  throw error
}

function countIn(answer: unknown, ...path: string[]): number | null {
  const count = Number(textAt(answer, ...path) ?? Number.NaN)
  return Number.isSafeInteger(count) && count > 0 && count < 2 ** 31 ? count : null
}

/** Only a returned campaign can be appealed. After that, it is in review again. */
const APPEALED = new Set(['TELNYX_FAILED', 'MNO_REJECTED'])

async function reviseCampaign(
  send: Send,
  id: string,
  ours: ReturnType<typeof campaignFields>,
): Promise<boolean> {
  const theirs = await send('GET', campaignPath(id))
  const status = textAt(theirs, 'campaignStatus') ?? ''
  const isOver =
    textAt(theirs, 'status') === 'EXPIRED' || textAt(theirs, 'submissionStatus') === 'FAILED'
  if (theirs === null || isOver || status === 'TCR_FAILED' || SUSPENDED.has(status)) return false
  const changes = changesOf(ours, objectAt(theirs))
  if (changes === null) return false
  if (Object.keys(changes).length > 0) {
    await send('PUT', campaignPath(id), changes, 'campaign')
  }
  if (APPEALED.has(status)) {
    const names = Object.keys(changes).join(', ')
    const appeal_reason = names === '' ? 'The noted problems have been fixed.' : `Fixed: ${names}.`
    await send('POST', `${campaignPath(id)}/appeal`, { appeal_reason }, 'campaign')
  }
  return true
}
