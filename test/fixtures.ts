// What most tests start from: a campaign that may send, numbers for sale, a number of one's own.

import assert from 'node:assert/strict'
import { newId } from '../src/kit/ids.js'
import { sql } from '../src/kit/sql.js'
import { addToInventory } from '../src/numbers/inventory-queries.js'
import type { InventoryNumber } from '../src/numbers/number.js'
import { areaCodeOf } from '../src/text/phone-number.js'
import type { TestService } from './harness.js'

const DAY_MS = 24 * 60 * 60 * 1000

export interface CampaignOverrides {
  /** Whose campaign it is. Default: the account of the service under test. */
  accountId?: string
  /** The paid period. Default: thirty days from now on. */
  periodStart?: Date
  renewsAt?: Date
}

export interface ActiveCampaign {
  brandId: string
  campaignId: string
}

/** A verified brand with an approved campaign that has no numbers yet. */
export async function activeCampaign(
  service: TestService,
  overrides: CampaignOverrides = {},
): Promise<ActiveCampaign> {
  const now = service.world.clock.now()
  const accountId = overrides.accountId ?? service.accountId
  const brandId = newId('brd', now)
  const campaignId = newId('cmp', now)
  const periodStart = overrides.periodStart ?? now
  const renewsAt = overrides.renewsAt ?? new Date(periodStart.getTime() + 30 * DAY_MS)
  await service.world.db.query(sql`
    insert into brands (account_id, id, status, entity_type, entity_name, display_name, ein,
      website_url, created_at, updated_at)
    values (${accountId}, ${brandId}, 'VERIFIED', 'PRIVATE_PROFIT', 'Acme Inc.', 'Acme',
      '12-3456789', 'https://acme.example', ${now}, ${now})`)
  await service.world.db.query(sql`
    insert into campaigns (account_id, id, brand_id, status, display_name, usecase, description,
      consent_flow, optin_keywords, optout_keywords, help_keywords, optin_message, optout_message,
      help_message, monthly_fee_micros, fee_paid, approved_at, renewal_day, period_start, renews_at,
      created_at, updated_at)
    values (${accountId}, ${campaignId}, ${brandId}, 'ACTIVE', 'Acme MARKETING', 'MARKETING',
      'Offers', 'Web form', ${['START', 'YES', 'UNSTOP']},
      ${['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']},
      ${['HELP', 'INFO']}, 'Acme: welcome. Reply HELP for help or STOP to cancel.',
      'Acme: you will get no more messages.', 'Acme: see https://acme.example', ${10_000_000n}, true,
      ${periodStart}, ${periodStart.getUTCDate()}, ${periodStart}, ${renewsAt}, ${now}, ${now})`)
  return { brandId, campaignId }
}

/** Puts numbers up for sale; each is an E.164 text or a number with its price. */
export async function addInventory(
  service: TestService,
  numbers: readonly (string | (Partial<InventoryNumber> & { number: string }))[],
): Promise<void> {
  const rows = numbers.map((given) => {
    const { number, ...rest } = typeof given === 'string' ? { number: given } : given
    return {
      number,
      areaCode: areaCodeOf(number),
      location: 'San Francisco, CA',
      monthlyPriceMicros: 1_000_000n,
      ...rest,
    }
  })
  assert.equal(await addToInventory(service.world.db, rows), rows.length, 'all numbers are new')
}

let bought = 0

/** A new number of the campaign, bought as a customer would. Numbers differ within one test file. */
export async function buyNumber(
  service: TestService,
  campaignId: string,
  options: { number?: string; token?: string } = {},
): Promise<string> {
  bought += 1
  const number = options.number ?? `+1415${2_000_000 + bought}`
  await addInventory(service, [number])
  const reply = await service.post(
    `/v1/campaign/${campaignId}/number/buy`,
    { number },
    options.token === undefined ? {} : { token: options.token },
  )
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return number
}
