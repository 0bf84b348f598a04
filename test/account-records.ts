// One record of each kind an account can own, for tests that use one account's token to request another's
// records.

import assert from 'node:assert/strict'
import { BRAND_BODY_EXAMPLE } from '../src/brands/brand-examples.js'
import { newId } from '../src/kit/ids.js'
import { raw, sql } from '../src/kit/postgres/sql.js'
import { activeCampaign, addInventory, buyNumber } from './fixtures.js'
import type { CallOptions, Json, TestService } from './harness.js'
import { personWith } from './people-fixtures.js'

export interface Owner {
  accountId: string
  token: string
}

export interface AccountRecords extends Owner {
  /** A word in every text of the account. */
  word: string
  brand: string
  brandDraft: string
  campaign: string
  campaignDraft: string
  /** Another campaign that can send, as a target for moved numbers. */
  campaignSpare: string
  number: string
  /** Not owned yet, one for each purchase route. */
  numberForSale: string
  numberForSaleToo: string
  peer: string
  optedOut: string
  message: string
  webhook: string
  delivery: string
  tokenSpare: string
  person: string
  invitation: string
  note: string
  'saved-reply': string
  export: string
  alert: string
}

const CAMPAIGN = {
  usecase: 'MARKETING',
  description: 'Offers of the week for members of the coffee club',
  consentFlow: 'Members tick a box on the form at acme.example/club',
}

let owners = 0

export async function createAccountRecords(
  service: TestService,
  owner: Owner,
  word: string,
): Promise<AccountRecords> {
  owners += 1
  const { accountId, token } = owner
  const made = async (method: string, url: string, body?: Json) => {
    const options: CallOptions = { token }
    const reply = await service.call(method, url, body, options)
    assert.equal(reply.status, 200, `${url}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const name = { entityName: `${word} LLC`, displayName: word }
  const { brandId: brand, campaignId: campaign } = await activeCampaign(service, {
    accountId,
    brand: name,
  })
  const { campaignId: campaignSpare } = await activeCampaign(service, { accountId, brand: name })
  const [peer, optedOut, numberForSale, numberForSaleToo] = [
    `+1415555${7000 + owners}`,
    `+1415555${8000 + owners}`,
    `+1415300${1000 + owners}`,
    `+1415300${2000 + owners}`,
  ]
  await addInventory(service, [numberForSale, numberForSaleToo])
  const number = await buyNumber(service, campaign, { token })
  const scheduledAt = new Date(service.world.clock.now().getTime() + 3_600_000).toISOString()
  const text = { campaign, to: peer, body: `For ${word}`, scheduledAt }
  await made('POST', '/sandbox/inbound', { from: peer, to: number, body: `To ${word}` })
  await made('PUT', `/v1/campaign/${campaign}/optouts/${optedOut.slice(1)}`, { reason: word })
  const conversation = `/v1/campaign/${campaign}/conversations/${peer.slice(1)}`
  const { note } = await made('POST', `${conversation}/notes`, { body: word })
  await made('PUT', `/v1/contact/${peer.slice(1)}`, { name: word })
  const { savedReply } = await made('POST', '/v1/saved-reply/create', { name: word, body: word })
  const exported = await made('POST', '/v1/export/create', { name: word })
  // Another one can be created only when it is finished.
  await service.world.db.query(sql`
    update message_exports set status = 'DONE' where account_id = ${accountId}`)
  const webhook = await made('POST', `/v1/campaign/${campaign}/webhooks`, {
    name: word,
    url: `https://${word.toLowerCase()}.test/hook`,
    eventTypes: ['message.status'],
  })
  const { delivery } = await made('POST', `/v1/webhook/${webhook.webhook.id}/test`, {})
  await service.world.db.query(sql`
    update event_deliveries set state = 'failed', due_at = null
    where account_id = ${accountId} and id = ${delivery.id}`)
  const alert = newId('alr', service.world.clock.now())
  await service.world.db.query(sql`
    insert into alerts (account_id, id, kind, subject, since, raised_at, updated_at, what_happened,
      what_to_do, figures)
    values (${accountId}, ${alert}, 'balance_low', ${word}, ${new Date(0)}, ${new Date(0)}, ${new Date(0)},
      ${word}, ${word}, '{}')`)
  return {
    accountId,
    token,
    word,
    alert,
    brand,
    campaign,
    campaignSpare,
    number,
    numberForSale,
    numberForSaleToo,
    peer,
    optedOut,
    brandDraft: (await made('POST', '/v1/brand/draft', { ...BRAND_BODY_EXAMPLE, ...name })).brand
      .id,
    campaignDraft: (await made('POST', '/v1/campaign/draft', { ...CAMPAIGN, brandId: brand }))
      .campaign.id,
    message: (await made('POST', '/v1/message/send', text)).id,
    webhook: webhook.webhook.id,
    delivery: delivery.id,
    note: note.id,
    'saved-reply': savedReply.id,
    export: exported.export.id,
    tokenSpare: (await made('POST', '/v1/token/create', { name: word })).token.id,
    person: (await personWith(service, 'agent', `${word}@example.com`, { token })).userId,
    invitation: (
      await made('POST', '/console/people/invitation', {
        email: `new-${word}@example.com`,
        role: 'agent',
      })
    ).invitation.id,
  }
}

let tables: readonly string[] | undefined

/** Every row of the account in every table, as one string. Ignores when a token was last used. */
export async function rowsOf({ world }: TestService, accountId: string): Promise<string> {
  tables ??= (
    await world.db.query<{ name: string }>(sql`
      select c.table_name as name from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.column_name = 'account_id' and c.table_schema = 'public'
        and t.table_type = 'BASE TABLE'`)
  ).map(({ name }) => name)
  const selects = tables.map(
    (name) => `select '${name}' as "table", to_jsonb(r) - 'last_used_at' as row from ${name} r
      where account_id = '${accountId}'`,
  )
  const rows = await world.db.query(sql`${raw(selects.join(' union all '))} order by 1, 2`)
  assert.ok(rows.length >= 20, 'the account has records')
  return JSON.stringify(rows, null, 1)
}
