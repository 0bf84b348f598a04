// A right request for every route, on records that are alive: what a call takes from others (a number to
// release, a draft to submit) is made for it, so that it always succeeds.

import assert from 'node:assert/strict'
import { BRAND_BODY_EXAMPLE } from '../../src/brands/brand-examples.js'
import type { Route } from '../every-route.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import type { Json, TestService } from '../harness.js'
import { CAMPAIGN_BODY } from './campaign-bodies.js'

/** Records of one account that belong together. */
export interface Living {
  brandId: string
  campaignId: string
  number: string
  webhookId: string
  deliveryId: string
  messageId: string
  tokenId: string
}

/** What chance gives to a request: a text that is not blank, and bits to choose by. */
export interface Dice {
  text: string
  bits: number
}

export interface RightRequest {
  path: string
  query: Json
  body: Json | undefined
}

interface Stage {
  service: TestService
  living: Living
  dice: Dice
  /** A recipient or sender that nothing else knows of; the range tells what for. */
  phone: (range: number) => string
  /** Some of these fields. */
  some: (fields: Json) => Json
}

interface Given {
  /** Path parameters that are not those of the living records. */
  params?: Json
  query?: Json
  body?: Json
}

const WEBHOOK = { url: 'http://127.0.0.1:1/hook', eventTypes: ['message.status'] }

export async function livingRecords(service: TestService): Promise<Living> {
  const { brandId, campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const webhookId = await newWebhook(service, campaignId)
  const test = await must(service, 'POST', `/v1/webhook/${webhookId}/test`, {})
  const sent = await must(service, 'POST', '/v1/message/send', message(campaignId, {}))
  const token = await must(service, 'POST', '/v1/token/create', {})
  return {
    brandId,
    campaignId,
    number,
    webhookId,
    deliveryId: test.delivery.id,
    messageId: sent.id,
    tokenId: token.token.id,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely; the schema is checked anyway
async function must(service: TestService, method: string, url: string, body: Json): Promise<any> {
  const reply = await service.call(method, url, body)
  assert.equal(reply.status, 200, `${method} ${url}: ${JSON.stringify(reply.body)}`)
  return reply.body
}

function message(campaign: string, fields: Json): Json {
  return { campaign, to: '+14155550107', body: 'Hello', ...fields }
}

async function newWebhook(service: TestService, campaignId: string): Promise<string> {
  const { webhook } = await must(service, 'POST', `/v1/campaign/${campaignId}/webhooks`, WEBHOOK)
  return webhook.id
}

async function newNumber({ service, living }: Stage): Promise<string> {
  return (await buyNumber(service, living.campaignId)).slice(1)
}

async function numberForSale({ service, phone }: Stage): Promise<string> {
  const number = phone(8)
  await addInventory(service, [number])
  return number
}

async function draftBrand({ service }: Stage): Promise<string> {
  return (await must(service, 'POST', '/v1/brand/draft', { ...BRAND_BODY_EXAMPLE })).brand.id
}

async function draftCampaign({ service, living: { brandId } }: Stage): Promise<string> {
  const body = { ...CAMPAIGN_BODY, brandId }
  return (await must(service, 'POST', '/v1/campaign/draft', body)).campaign.id
}

async function optedOut({ service, living, phone }: Stage): Promise<string> {
  const number = phone(6).slice(1)
  const url = `/v1/campaign/${living.campaignId}/optouts/${number}`
  await must(service, 'PUT', url, { reason: 'Requested by phone' })
  return number
}

function inDays({ service }: Stage, days: number): string {
  return new Date(service.world.clock.now().getTime() + days * 86_400_000).toISOString()
}

function anyMessage(stage: Stage): Json {
  const { living, dice, phone, some } = stage
  return message(living.campaignId, {
    to: phone(5),
    body: dice.text,
    ...some({
      from: living.number,
      mediaUrls: ['https://media.invalid/a.png'],
      metadata: { note: dice.text },
      scheduledAt: inDays(stage, 1 + (dice.bits % 30)),
      validitySeconds: 60 + (dice.bits % 14_000),
    }),
  })
}

function anyCampaign({ living, dice, some }: Stage): Json {
  const more = some({ displayName: dice.text, isLowVolume: true, holdAtDailyCap: true })
  return { ...CAMPAIGN_BODY, brandId: living.brandId, ...more }
}

const RIGHT: Record<string, (stage: Stage) => Given | Promise<Given>> = {
  'PATCH /v1/account': ({ dice }) => ({ body: { lowBalanceThreshold: 1 + (dice.bits % 100) } }),
  'GET /v1/account/ledger': ({ living, some }) => ({
    query: some({ reason: 'message', campaign: living.campaignId, limit: 5 }),
  }),
  'GET /v1/account/statement/{month}': (stage) => ({
    params: { month: inDays(stage, 0).slice(0, 7) },
  }),
  'POST /v1/token/create': (stage) => ({
    body: stage.some({ name: 'a', scopes: ['read'], expiresAt: inDays(stage, 9) }),
  }),
  'DELETE /v1/token/{id}': async ({ service }) => ({
    params: { id: (await must(service, 'POST', '/v1/token/create', {})).token.id },
  }),
  'POST /v1/brand/create': ({ dice, some }) => ({
    body: { ...BRAND_BODY_EXAMPLE, ...some({ displayName: dice.text }) },
  }),
  'POST /v1/brand/draft': ({ some }) => ({ body: some({ ...BRAND_BODY_EXAMPLE }) }),
  'PATCH /v1/brand/{id}': async (stage) => ({
    params: { id: await draftBrand(stage) },
    body: stage.some({ ...BRAND_BODY_EXAMPLE, displayName: stage.dice.text }),
  }),
  'POST /v1/brand/{id}/submit': async (stage) => ({ params: { id: await draftBrand(stage) } }),
  'POST /v1/campaign/create': (stage) => ({ body: anyCampaign(stage) }),
  'POST /v1/campaign/check': (stage) => ({ body: anyCampaign(stage) }),
  'POST /v1/campaign/draft': (stage) => ({ body: anyCampaign(stage) }),
  'PATCH /v1/campaign/{id}': ({ dice, some }) => ({
    body: some({ displayName: dice.text, helpMessage: `Acme: ${dice.text}` }),
  }),
  'POST /v1/campaign/{id}/submit': async (stage) => ({
    params: { id: await draftCampaign(stage) },
  }),
  'GET /v1/number/search': ({ living, some }) => ({
    query: some({ areaCode: '415', limit: 3, campaign: living.campaignId }),
  }),
  'DELETE /v1/number/{number}': async (stage) => ({ params: { number: await newNumber(stage) } }),
  'POST /v1/campaign/{id}/number/buy': async (stage) => ({
    body: { number: await numberForSale(stage) },
  }),
  'POST /v1/number/buy': async (stage) => ({
    body: { number: await numberForSale(stage), campaign: stage.living.campaignId },
  }),
  'PATCH /v1/number/{number}/forwarding': ({ dice, phone }) => ({
    body: { forwardNumber: dice.bits % 3 ? phone(7) : null },
  }),
  'PUT /v1/campaign/{id}/optouts/{number}': ({ dice, phone }) => ({
    params: { number: phone(6).slice(1) },
    body: { reason: dice.text },
  }),
  'DELETE /v1/campaign/{id}/optouts/{number}': async (stage) => ({
    params: { number: await optedOut(stage) },
    query: { reason: 'Signed up again' },
  }),
  'POST /v1/media': ({ dice }) => ({ body: { text: dice.text } }),
  'POST /v1/message/send': (stage) => ({ body: anyMessage(stage) }),
  'POST /v1/message/batch': (stage) => ({ body: { messages: [anyMessage(stage), {}] } }),
  'POST /v1/message/batch/preview': (stage) => ({ body: { messages: [anyMessage(stage), {}] } }),
  'POST /v1/message/preview': ({ dice }) => ({ body: { body: dice.text } }),
  'GET /v1/message/list': ({ living, some }) => ({
    query: {
      campaign: living.campaignId,
      ...some({ direction: 'OUTBOUND', number: living.number, status: 'QUEUED', skip: 2 }),
    },
  }),
  'GET /v1/message/search': ({ living, some }) => ({
    query: some({
      campaign: living.campaignId,
      number: living.number,
      status: 'QUEUED',
      errorCode: 1350,
      direction: 'OUTBOUND',
      after: living.messageId,
    }),
  }),
  'GET /v1/conversation/list': ({ living, some }) => ({
    query: some({
      campaign: living.campaignId,
      number: living.number,
      limit: 3,
      after: living.messageId,
    }),
  }),
  'GET /v1/stats/messages': (stage) => ({
    query: stage.some({
      bucket: 'day',
      from: inDays(stage, -20),
      to: inDays(stage, 1),
      campaign: stage.living.campaignId,
      by: ['carrier', 'campaign'][stage.dice.bits % 2],
    }),
  }),
  'DELETE /v1/message/{id}': async (stage) => {
    const body = message(stage.living.campaignId, { scheduledAt: inDays(stage, 1) })
    const { id } = await must(stage.service, 'POST', '/v1/message/send', body)
    return { params: { id } }
  },
  'POST /v1/campaign/{id}/end': async ({ service }) => {
    const { campaignId } = await activeCampaign(service)
    return { params: { id: campaignId }, body: { confirm: campaignId } }
  },
  'POST /v1/campaign/{id}/webhooks': async ({ service, dice, some }) => {
    const { campaignId } = await activeCampaign(service)
    return { params: { id: campaignId }, body: { ...WEBHOOK, ...some({ name: dice.text }) } }
  },
  'PATCH /v1/webhook/{id}': ({ living, dice, some }) => ({
    body: some({ name: dice.text, numbers: [living.number], enabled: true }),
  }),
  'DELETE /v1/webhook/{id}': async ({ service, living }) => ({
    params: { id: await newWebhook(service, living.campaignId) },
  }),
  'GET /v1/webhook/{id}/deliveries': ({ some }) => ({ query: some({ state: 'pending' }) }),
  'POST /v1/webhook/{id}/recover': (stage) => ({ body: { since: inDays(stage, -1) } }),
  'POST /v1/webhook/{id}/test': ({ some }) => ({ body: some({ eventType: 'message.status' }) }),
  'POST /sandbox/inbound': ({ living, dice, phone }) => ({
    body: { from: phone(9), to: living.number, body: dice.text },
  }),
  'POST /sandbox/call': ({ living, phone, some }) => ({
    body: { to: living.number, ...some({ from: phone(9) }) },
  }),
}

let phones = 0

export async function rightRequest(
  service: TestService,
  route: Route,
  living: Living,
  dice: Dice,
): Promise<RightRequest> {
  const some = (fields: Json): Json =>
    Object.fromEntries(Object.entries(fields).filter((_, i) => (dice.bits >> i) & 1))
  const phone = (range: number): string => {
    phones += 1
    return `+1415${range}${String(phones % 1_000_000).padStart(6, '0')}`
  }
  const stage = { service, living, dice, phone, some }
  const given = (await RIGHT[`${route.method} ${route.path}`]?.(stage)) ?? {}
  const body = given.body ?? (route.body ? {} : undefined)
  return { path: pathOf(route, living, given.params), query: given.query ?? {}, body }
}

/** The path of the route to one of these records. */
export function pathOf(route: Route, living: Living, params: Json = {}): string {
  const room = route.path.split('/')[2]
  return route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    if (name in params) return String(params[name])
    if (name === 'number') return living.number.slice(1)
    if (name === 'deliveryId') return living.deliveryId
    return String((living as unknown as Json)[`${room}Id`] ?? 'none')
  })
}
