// Numbers for sale, and the campaign that buys one. Twilio's numbers belong to an account, ours to a campaign.

import type { AccountId } from '../accounts/account.js'
import { listCampaigns } from '../campaigns/campaign-queries.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { InventoryNumber } from '../numbers/number.js'
import { searchSeller } from '../numbers/provisioning/ask-seller.js'
import { searchNumbers } from '../numbers/search-numbers.js'
import { isAreaCode } from '../text/phone-number.js'
import type { CompatOptions } from './compat-config.js'
import { campaignIdOf } from './sids.js'
import { TwilioRefusal } from './twilio-error.js'

type SearchOptions = Pick<CompatOptions, 'db' | 'log' | 'sources'>

const SEARCH_MAX = 50

/** Empty if there are none. */
export async function listForSale(
  options: SearchOptions,
  get: (name: string) => string | undefined,
  size: number,
): Promise<InventoryNumber[]> {
  const contains = get('Contains')
  const isWanted = contains === undefined ? () => true : patternTest(contains)
  const numbers = await search(options, get('AreaCode') ?? null, contains ? SEARCH_MAX : size)
  return numbers.filter(({ number }) => isWanted(number)).slice(0, size)
}

async function search(
  { db, log, sources }: SearchOptions,
  areaCode: string | null,
  size: number,
): Promise<InventoryNumber[]> {
  if (areaCode !== null && !isAreaCode(areaCode)) {
    throw new TwilioRefusal(21451, 'AreaCode must be a US or Canadian area code, for example 415.')
  }
  const limit = Math.min(size, SEARCH_MAX)
  const [seller] = sources.sellers()
  const wanted = { areaCode, nearby: false, limit, stock: null, isUsOnly: false }
  try {
    return seller
      ? await searchSeller({ db, log }, seller, wanted)
      : await searchNumbers(db, wanted)
  } catch (error) {
    const isNone =
      error instanceof Refusal && ['numbers_none', 'field_invalid'].includes(error.code)
    if (isNone) return []
    throw error
  }
}

/** Digits, and `*` for any digit. At most one comparison for each position. */
function patternTest(contains: string): (number: string) => boolean {
  const pattern = contains.slice(0, 20).replaceAll(/[^\d*]/g, '')
  return (number) => {
    const digits = number.slice(1)
    for (let at = 0; at + pattern.length <= digits.length; at += 1) {
      if ([...pattern].every((char, i) => char === '*' || char === digits[at + i])) return true
    }
    return false
  }
}

export async function findForSale(options: SearchOptions, areaCode: string): Promise<string> {
  const [first] = await search(options, areaCode, 1)
  if (!first) throw new TwilioRefusal(21452, `No phone numbers found in area code ${areaCode}.`)
  return first.number
}

/** The campaign named as SmsApplicationSid, or the account's only ACTIVE one. */
export async function findBuyingCampaign(
  db: Queryable,
  accountId: AccountId,
  sid: string | undefined,
): Promise<string> {
  if (sid !== undefined) {
    const id = campaignIdOf(sid)
    if (id === null) throw new TwilioRefusal(21701, 'SmsApplicationSid must be a campaign: MG….')
    return id
  }
  const page = { limit: 1, skip: 0, after: null }
  const active = await listCampaigns(db, accountId, ACTIVE, page)
  if (active.length === 1) return active[0]!.id
  const text =
    active.length === 0
      ? 'The account has no ACTIVE campaign to buy a number for.'
      : 'The account has several campaigns. Name one as SmsApplicationSid: MG….'
  throw new TwilioRefusal(21649, text)
}

const ACTIVE = { status: 'ACTIVE', search: null, brandId: null, campaigns: null } as const
