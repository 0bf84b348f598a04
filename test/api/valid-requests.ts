// A valid request for every route, on existing records. Whatever a request uses up (a number to release, a
// draft to submit) is created for it, so it always succeeds.

import assert from 'node:assert/strict'
import { BRAND_BODY_EXAMPLE } from '../../src/brands/brand-examples.js'
import type { Route } from '../every-route.js'
import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import type { Json, TestService } from '../harness.js'
import { personWith } from '../people-fixtures.js'
import { CAMPAIGN_BODY } from './campaign-bodies.js'

/** Related records of one account. */
export interface Records {
  brandId: string
  campaignId: string
  number: string
  webhookId: string
  deliveryId: string
  messageId: string
  tokenId: string
}

/** Random parts of a request: a text that is not blank, and bits that choose options. */
export interface RandomInput {
  text: string
  bits: number
}

export interface ValidRequest {
  path: string
  query: Json
  body: Json | undefined
}

interface Stage {
  service: TestService
  records: Records
  input: RandomInput
  /** A new recipient or sender. The range shows what it is for. */
  phone: (range: number) => string
  /** A random selection of these fields. */
  some: (fields: Json) => Json
}

interface Given {
  /** Path parameters that replace those of the records. */
  params?: Json
  query?: Json
  body?: Json
}

const WEBHOOK = { url: 'http://127.0.0.1:1/hook', eventTypes: ['message.status'] }

export async function createRecords(service: TestService): Promise<Records> {
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
async function must(service: TestService, method: string, url: string, body?: Json): Promise<any> {
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

async function newNumber({ service, records }: Stage): Promise<string> {
  return (await buyNumber(service, records.campaignId)).slice(1)
}

async function numberForSale({ service, phone }: Stage): Promise<string> {
  const number = phone(8)
  await addInventory(service, [number])
  return number
}

async function draftBrand({ service }: Stage): Promise<string> {
  return (await must(service, 'POST', '/v1/brand/draft', { ...BRAND_BODY_EXAMPLE })).brand.id
}

async function draftCampaign({ service, records: { brandId } }: Stage): Promise<string> {
  const body = { ...CAMPAIGN_BODY, brandId }
  return (await must(service, 'POST', '/v1/campaign/draft', body)).campaign.id
}

async function optedOut({ service, records, phone }: Stage): Promise<string> {
  const number = phone(6).slice(1)
  const url = `/v1/campaign/${records.campaignId}/optouts/${number}`
  await must(service, 'PUT', url, { reason: 'Requested by phone' })
  return number
}

function inDays({ service }: Stage, days: number): string {
  return new Date(service.world.clock.now().getTime() + days * 86_400_000).toISOString()
}

function anyMessage(stage: Stage): Json {
  const { records, input, phone, some } = stage
  return message(records.campaignId, {
    to: phone(5),
    body: input.text,
    ...some({
      from: records.number,
      mediaUrls: ['https://media.invalid/a.png'],
      metadata: { note: input.text },
      scheduledAt: inDays(stage, 1 + (input.bits % 30)),
      validitySeconds: 60 + (input.bits % 14_000),
    }),
  })
}

function anyCampaign({ records, input, some }: Stage): Json {
  const more = some({ displayName: input.text, isLowVolume: true, holdAtDailyCap: true })
  return { ...CAMPAIGN_BODY, brandId: records.brandId, ...more }
}

let emails = 0
const newEmail = (): string => `person${emails++}@example.com`

/** The recipient of the message in the records. */
const RECIPIENT = '14155550107'

async function newNote({ service, records }: Stage): Promise<string> {
  const url = `/v1/campaign/${records.campaignId}/conversations/${RECIPIENT}/notes`
  return (await must(service, 'POST', url, { body: 'Called back' })).note.id
}

async function newContact({ service, phone }: Stage): Promise<string> {
  const number = phone(7).slice(1)
  await must(service, 'PUT', `/v1/contact/${number}`, { name: 'Ana' })
  return number
}

async function newSavedReply({ service }: Stage): Promise<string> {
  const body = { name: 'Shipped', body: 'On its way' }
  return (await must(service, 'POST', '/v1/saved-reply/create', body)).savedReply.id
}

/** One at a time can run. */
async function newExport({ service }: Stage): Promise<string> {
  await deleteExports(service)
  return (await must(service, 'POST', '/v1/export/create', {})).export.id
}

async function deleteExports(service: TestService): Promise<void> {
  const { exports } = await must(service, 'GET', '/v1/export/list')
  for (const { id } of exports) await must(service, 'DELETE', `/v1/export/${id}`)
}

type Requests = Record<string, (stage: Stage) => Given | Promise<Given>>

const INBOX: Requests = {
  'GET /v1/inbox/list': ({ records, some }) => ({
    query: some({ view: 'waiting', campaign: records.campaignId, assignee: 'ana', limit: 5 }),
  }),
  'GET /v1/inbox/counts': ({ records, some }) => ({
    query: some({ campaign: records.campaignId, assignee: 'ana' }),
  }),
  'GET /v1/campaign/{id}/conversations/{number}': () => ({ params: { number: RECIPIENT } }),
  'PATCH /v1/campaign/{id}/conversations/{number}': ({ input, some }) => ({
    params: { number: RECIPIENT },
    body: some({ status: 'CLOSED', unread: true, assignee: input.text }),
  }),
  'GET /v1/campaign/{id}/conversations/{number}/notes': () => ({ params: { number: RECIPIENT } }),
  'POST /v1/campaign/{id}/conversations/{number}/notes': ({ input, some }) => ({
    params: { number: RECIPIENT },
    body: { body: input.text, ...some({ author: input.text }) },
  }),
  'DELETE /v1/campaign/{id}/conversations/{number}/notes/{noteId}': async (stage) => ({
    params: { number: RECIPIENT, noteId: await newNote(stage) },
  }),
  'GET /v1/contact/{number}': async (stage) => ({ params: { number: await newContact(stage) } }),
  'PUT /v1/contact/{number}': ({ input, phone, some }) => ({
    params: { number: phone(7).slice(1) },
    body: { name: input.text, ...some({ fields: { note: input.text } }) },
  }),
  'DELETE /v1/contact/{number}': async (stage) => ({ params: { number: await newContact(stage) } }),
  'POST /v1/saved-reply/create': ({ input }) => ({ body: { name: input.text, body: input.text } }),
  'PATCH /v1/saved-reply/{id}': async (stage) => ({
    params: { id: await newSavedReply(stage) },
    body: stage.some({ name: stage.input.text, body: stage.input.text }),
  }),
  'DELETE /v1/saved-reply/{id}': async (stage) => ({ params: { id: await newSavedReply(stage) } }),
}

const EXPORTS: Requests = {
  'POST /v1/export/create': async ({ service, input, some, records }) => {
    await deleteExports(service)
    const filter = { campaign: records.campaignId, status: 'FAILED', priceMin: 0.001 }
    return { body: some({ name: input.text, filter: some(filter) }) }
  },
  'GET /v1/export/{id}': async (stage) => ({ params: { id: await newExport(stage) } }),
  'DELETE /v1/export/{id}': async (stage) => ({ params: { id: await newExport(stage) } }),
}

const VALID: Requests = {
  ...INBOX,
  ...EXPORTS,
  'PATCH /v1/account': ({ input }) => ({ body: { lowBalanceThreshold: 1 + (input.bits % 100) } }),
  'GET /v1/account/ledger': ({ records, some }) => ({
    query: some({ reason: 'message', campaign: records.campaignId, limit: 5 }),
  }),
  'GET /v1/account/statement/{month}': (stage) => ({
    params: { month: inDays(stage, 0).slice(0, 7) },
  }),
  'POST /v1/token/create': (stage) => ({
    body: stage.some({ name: 'a', scopes: ['read'], expiresAt: inDays(stage, 9) }),
  }),
  'DELETE /console/people/invitation/{id}': async ({ service }) => {
    const body = { email: newEmail(), role: 'agent' }
    const made = await must(service, 'POST', '/console/people/invitation', body)
    return { params: { id: made.invitation.id } }
  },
  'POST /console/people/invitation': () => ({ body: { email: newEmail(), role: 'agent' } }),
  'PATCH /console/people/{id}': async ({ service }) => ({
    params: { id: (await personWith(service, 'agent', newEmail())).userId },
    body: { role: 'developer' },
  }),
  'DELETE /console/people/{id}': async ({ service }) => ({
    params: { id: (await personWith(service, 'agent', newEmail())).userId },
  }),
  'DELETE /v1/token/{id}': async ({ service }) => ({
    params: { id: (await must(service, 'POST', '/v1/token/create', {})).token.id },
  }),
  'POST /v1/brand/create': ({ input, some }) => ({
    body: { ...BRAND_BODY_EXAMPLE, ...some({ displayName: input.text }) },
  }),
  'POST /v1/brand/draft': ({ some }) => ({ body: some({ ...BRAND_BODY_EXAMPLE }) }),
  'PATCH /v1/brand/{id}': async (stage) => ({
    params: { id: await draftBrand(stage) },
    body: stage.some({ ...BRAND_BODY_EXAMPLE, displayName: stage.input.text }),
  }),
  'POST /v1/brand/{id}/submit': async (stage) => ({ params: { id: await draftBrand(stage) } }),
  'POST /v1/campaign/create': (stage) => ({ body: anyCampaign(stage) }),
  'POST /v1/campaign/check': (stage) => ({ body: anyCampaign(stage) }),
  'POST /v1/campaign/draft': (stage) => ({ body: anyCampaign(stage) }),
  'PATCH /v1/campaign/{id}': ({ input, some }) => ({
    body: some({ displayName: input.text, helpMessage: `Acme: ${input.text}` }),
  }),
  'POST /v1/campaign/{id}/submit': async (stage) => ({
    params: { id: await draftCampaign(stage) },
  }),
  'GET /v1/number/search': ({ records, some }) => ({
    query: some({ areaCode: '415', limit: 3, campaign: records.campaignId }),
  }),
  'DELETE /v1/number/{number}': async (stage) => ({ params: { number: await newNumber(stage) } }),
  'POST /v1/campaign/{id}/number/buy': async (stage) => ({
    body: { number: await numberForSale(stage) },
  }),
  'POST /v1/number/buy': async (stage) => ({
    body: { number: await numberForSale(stage), campaign: stage.records.campaignId },
  }),
  'PATCH /v1/number/{number}/forwarding': ({ input, phone }) => ({
    body: { forwardNumber: input.bits % 3 ? phone(7) : null },
  }),
  'PUT /v1/campaign/{id}/optouts/{number}': ({ input, phone }) => ({
    params: { number: phone(6).slice(1) },
    body: { reason: input.text },
  }),
  'DELETE /v1/campaign/{id}/optouts/{number}': async (stage) => ({
    params: { number: await optedOut(stage) },
    query: { reason: 'Signed up again' },
  }),
  'POST /v1/media': ({ input }) => ({ body: { text: input.text } }),
  'POST /v1/message/send': (stage) => ({ body: anyMessage(stage) }),
  'POST /v1/message/batch': (stage) => ({ body: { messages: [anyMessage(stage), {}] } }),
  'POST /v1/message/batch/preview': (stage) => ({ body: { messages: [anyMessage(stage), {}] } }),
  'POST /v1/message/preview': ({ input }) => ({ body: { body: input.text } }),
  'GET /v1/message/list': ({ records, some }) => ({
    query: {
      campaign: records.campaignId,
      ...some({ direction: 'OUTBOUND', number: records.number, status: 'QUEUED', skip: 2 }),
    },
  }),
  'GET /v1/message/search': ({ records, some }) => ({
    query: some({
      campaign: records.campaignId,
      number: records.number,
      status: 'QUEUED',
      errorCode: 1350,
      direction: 'OUTBOUND',
      after: records.messageId,
    }),
  }),
  'GET /v1/conversation/list': ({ records, some }) => ({
    query: some({
      campaign: records.campaignId,
      number: records.number,
      limit: 3,
      after: records.messageId,
    }),
  }),
  'GET /v1/stats/messages': (stage) => ({
    query: stage.some({
      bucket: 'day',
      from: inDays(stage, -20),
      to: inDays(stage, 1),
      campaign: stage.records.campaignId,
      by: ['carrier', 'campaign'][stage.input.bits % 2],
    }),
  }),
  'DELETE /v1/message/{id}': async (stage) => {
    const body = message(stage.records.campaignId, { scheduledAt: inDays(stage, 1) })
    const { id } = await must(stage.service, 'POST', '/v1/message/send', body)
    return { params: { id } }
  },
  'POST /v1/campaign/{id}/end': async ({ service }) => {
    const { campaignId } = await activeCampaign(service)
    return { params: { id: campaignId }, body: { confirm: campaignId } }
  },
  'POST /v1/campaign/{id}/webhooks': async ({ service, input, some }) => {
    const { campaignId } = await activeCampaign(service)
    return { params: { id: campaignId }, body: { ...WEBHOOK, ...some({ name: input.text }) } }
  },
  'PATCH /v1/webhook/{id}': ({ records, input, some }) => ({
    body: some({ name: input.text, numbers: [records.number], enabled: true }),
  }),
  'DELETE /v1/webhook/{id}': async ({ service, records }) => ({
    params: { id: await newWebhook(service, records.campaignId) },
  }),
  'GET /v1/webhook/{id}/deliveries': ({ some }) => ({ query: some({ state: 'pending' }) }),
  'POST /v1/webhook/{id}/recover': (stage) => ({ body: { since: inDays(stage, -1) } }),
  'POST /v1/webhook/{id}/test': ({ some }) => ({ body: some({ eventType: 'message.status' }) }),
  'POST /sandbox/inbound': ({ records, input, phone }) => ({
    body: { from: phone(9), to: records.number, body: input.text },
  }),
  'POST /sandbox/call': ({ records, phone, some }) => ({
    body: { to: records.number, ...some({ from: phone(9) }) },
  }),
}

let phones = 0

export async function validRequest(
  service: TestService,
  route: Route,
  records: Records,
  input: RandomInput,
): Promise<ValidRequest> {
  const some = (fields: Json): Json =>
    Object.fromEntries(Object.entries(fields).filter((_, i) => (input.bits >> i) & 1))
  const phone = (range: number): string => {
    phones += 1
    return `+1415${range}${String(phones % 1_000_000).padStart(6, '0')}`
  }
  const stage = { service, records, input, phone, some }
  const given = (await VALID[`${route.method} ${route.path}`]?.(stage)) ?? {}
  const body = given.body ?? (route.body ? {} : undefined)
  return { path: pathOf(route, records, given.params), query: given.query ?? {}, body }
}

/** The path of the route with the ids of these records. */
export function pathOf(route: Route, records: Records, params: Json = {}): string {
  const resource = route.path.split('/')[2]
  return route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    if (name in params) return String(params[name])
    if (name === 'number') return records.number.slice(1)
    if (name === 'deliveryId') return records.deliveryId
    return String((records as unknown as Json)[`${resource}Id`] ?? 'none')
  })
}
