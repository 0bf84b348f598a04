// Sends requests to every route with another account's record in each position: it must not be found, shown,
// or changed. The requests come from the route table, which covers new routes too. Each request is
// also sent with the account's own records to prove that it is valid.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccountRecords, createAccountRecords, rowsOf } from '../account-records.js'
import { customerRoutes, type Route } from '../every-route.js'
import { type Json, type Reply, type TestService, testService } from '../harness.js'

type Kind = keyof AccountRecords

/** A position in a request that holds a record of the account. */
interface Slot {
  where: 'path' | 'query' | 'body'
  name: string
}

/** Routes that take a record in another state than the others of their resource. */
const RECORDS: Record<string, Kind> = {
  'PATCH /v1/brand/{id}': 'brandDraft',
  'POST /v1/brand/{id}/submit': 'brandDraft',
  'PATCH /v1/campaign/{id}': 'campaignDraft',
  'POST /v1/campaign/{id}/submit': 'campaignDraft',
  'DELETE /v1/token/{id}': 'tokenSpare',
  'PATCH /console/people/{id}': 'person',
  'DELETE /console/people/{id}': 'person',
  'DELETE /console/people/invitation/{id}': 'invitation',
}
const PLACES: Record<string, Kind> = {
  brandId: 'brand',
  campaign: 'campaign',
  deliveryId: 'delivery',
  noteId: 'note',
  from: 'number',
  number: 'number',
  numbers: 'number',
  moveNumbersTo: 'campaignSpare',
}
/** Bodies where the example of the reference does not fit. */
const BODIES: Record<string, Json> = {
  'POST /v1/campaign/draft': { usecase: 'MARKETING' },
  'POST /v1/webhook/{id}/recover': { since: new Date(Date.now() - 3_600_000).toISOString() },
  'POST /v1/webhook/{id}/test': { eventType: 'message.status' },
}
// A phone belongs to no account. Only the messages with it do.
const PHONES = /\/(?:optouts|conversations|contact)\/\{number\}|^\/sandbox\/handset/

const nameOf = ({ method, path }: Route) => `${method} ${path}`

function kindOf(route: Route, { where, name }: Slot): Kind | null {
  const { path } = route
  if (where === 'path' && name === 'id') {
    return RECORDS[nameOf(route)] ?? (path.split('/')[2] as Kind)
  }
  if (where === 'path' && name === 'number' && PHONES.test(path)) {
    return path.includes('/optouts/') ? 'optedOut' : 'peer'
  }
  if (/^\/sandbox\/(?:inbound|call)$/.test(path)) return name === 'to' ? 'number' : null
  if (where === 'body' && name === 'number') {
    return path === '/v1/number/buy' ? 'numberForSaleToo' : 'numberForSale'
  }
  if (where === 'query' && name === 'from') return null // a day
  return PLACES[name] ?? null
}

function slotsOf(route: Route): Slot[] {
  const fields = route.path.endsWith('/batch')
    ? ['campaign', 'from']
    : Object.keys(route.body?.properties ?? {})
  const all: Slot[] = [
    ...route.parameters.map(({ in: where, name }) => ({ where, name })),
    ...fields.map((name) => ({ where: 'body' as const, name })),
  ]
  return all.filter((slot) => kindOf(route, slot) !== null)
}

/** Returns own records for every position except `foreign`, which gets the other account's. */
function recordsFor(
  route: Route,
  own: AccountRecords,
  other: AccountRecords,
  foreign: Slot | null,
) {
  return (where: Slot['where'], name: string): string => {
    const isForeign = foreign?.where === where && foreign.name === name
    const kind = kindOf(route, { where, name })!
    // Numbers for sale belong to nobody, so the other account's own number is used.
    const owned = isForeign && kind.startsWith('numberForSale') ? 'number' : kind
    return (isForeign ? other : own)[owned]
  }
}

function requestOf(route: Route, own: AccountRecords, other: AccountRecords, foreign: Slot | null) {
  const record = recordsFor(route, own, other, foreign)
  const path = route.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    name === 'month' ? new Date().toISOString().slice(0, 7) : record('path', name).replace('+', ''),
  )
  const query = new URLSearchParams(
    slotsOf(route).flatMap(({ where, name }) =>
      where === 'query' ? [[name, record(where, name)] as [string, string]] : [],
    ),
  )
  if (nameOf(route).startsWith('DELETE /v1/campaign/')) query.set('reason', own.word)
  return { url: `${path}?${query}`, body: route.body ? bodyOf(route, record, path) : undefined }
}

function bodyOf(route: Route, record: (where: 'body', name: string) => string, path: string): Json {
  const body: Json = { ...route.bodyExample, ...BODIES[nameOf(route)] }
  const slots = slotsOf(route).flatMap(({ where, name }) => (where === 'body' ? [name] : []))
  const given = Object.fromEntries(slots.map((name) => [name, record('body', name)]))
  if ('numbers' in given) Object.assign(given, { numbers: [given.numbers] })
  if ('confirm' in body) body.confirm = path.split('/')[3]
  if (route.path.endsWith('/batch')) {
    return { messages: [{ to: '+14155550107', body: 'Hello', ...given }] }
  }
  return { ...body, ...given }
}

/** An upload is a file, not JSON. media-uploads.test.ts covers access to it. */
function hasJsonBody({ path }: Route): boolean {
  return path !== '/v1/media'
}

/** Reads first, then changes, then deletions, and the end of a campaign last. */
function inOrder(routes: readonly Route[]): Route[] {
  const order = ['GET', 'PATCH', 'PUT', 'POST', 'DELETE']
  const rank = (route: Route) =>
    nameOf(route) === 'POST /v1/campaign/{id}/end' ? 9 : order.indexOf(route.method)
  return routes.toSorted((a, b) => rank(a) - rank(b))
}

function assertRefused(route: Route, slot: Slot, { status, body }: Reply): void {
  const where = `${nameOf(route)} with another’s ${slot.name}: ${JSON.stringify(body)}`
  if (slot.where === 'path' && !PHONES.test(route.path)) {
    assert.equal(status, 404, where)
  } else if (slot.where === 'body' && route.path.endsWith('/batch')) {
    assert.equal(body.results[0].success, false, where)
  } else if (slot.where === 'body') {
    assert.ok([400, 404, 409].includes(status), where)
  } else {
    assert.ok(status < 500, where)
  }
}

function assertShowsNothing(
  route: Route,
  { body }: Reply,
  other: AccountRecords,
  sent: string,
): void {
  const text = JSON.stringify(body)
  for (const [kind, value] of Object.entries(other)) {
    if (kind.startsWith('numberForSale') || sent.includes(value.replace('+', ''))) continue
    assert.equal(text.includes(value), false, `${nameOf(route)} shows another’s ${kind}: ${text}`)
  }
}

async function stage(service: TestService) {
  const own = await createAccountRecords(service, service, 'Mineral')
  const other = await createAccountRecords(service, await service.otherAccount('1000'), 'Stranger')
  // The stream never ends. webhook-stream.test.ts covers it with two accounts.
  const routes = customerRoutes(service).filter(
    ({ path }) => path !== '/v1/events/stream' && !path.startsWith('/sandbox/clock'),
  )
  return { own, other, routes }
}

test('no route finds, shows, or changes another account’s records', async (t) => {
  const service = await testService(t, { balance: '1000', roles: ['voice'] })
  const { own, other, routes } = await stage(service)
  const before = await rowsOf(service, other.accountId)
  let requests = 0
  for (const route of inOrder(routes).filter(hasJsonBody)) {
    for (const slot of slotsOf(route)) {
      requests += 1
      const { url, body } = requestOf(route, own, other, slot)
      const reply = await service.call(route.method, url, body)
      assertRefused(route, slot, reply)
      assertShowsNothing(route, reply, other, `${url} ${JSON.stringify(body)}`)
      if (route.method === 'GET') continue
      assert.equal(await rowsOf(service, other.accountId), before, `${nameOf(route)} ${slot.name}`)
    }
    const { url, body } = requestOf(route, own, other, null)
    const reply = await service.call(route.method, url, body)
    assert.equal(
      reply.status,
      200,
      `${route.method} ${url} with one’s own: ${JSON.stringify(reply.body)}`,
    )
    assertShowsNothing(route, reply, other, '')
  }
  assert.ok(requests >= 50, `${requests} places for records`)
  assert.equal(await rowsOf(service, other.accountId), before)
})

test('lists contain only the account’s own records', async (t) => {
  const service = await testService(t, { balance: '1000' })
  const { own, other, routes } = await stage(service)
  const listed: Record<string, Kind> = {
    '/v1/brand/list': 'brand',
    '/v1/campaign/list': 'campaign',
    '/v1/number/list': 'number',
    '/v1/token/list': 'tokenSpare',
    '/v1/webhook/list': 'webhook',
    '/v1/message/list': 'message',
    '/v1/message/search': 'message',
    '/v1/conversation/list': 'message',
    '/v1/inbox/list': 'peer',
    '/v1/contact/list': 'peer',
    '/v1/saved-reply/list': 'saved-reply',
    '/v1/export/list': 'export',
    '/v1/alert/list': 'alert',
    '/v1/campaign/{id}/numbers': 'number',
    '/v1/campaign/{id}/optouts': 'optedOut',
    '/v1/campaign/{id}/webhooks': 'webhook',
    '/v1/webhook/{id}/deliveries': 'delivery',
    '/v1/account/ledger': 'campaign',
    '/sandbox/handset': 'peer',
  }
  const lists = routes.filter(({ method, path }) => method === 'GET' && path in listed)
  assert.equal(lists.length, Object.keys(listed).length)
  for (const route of lists) {
    for (const [mine, theirs] of [
      [own, other],
      [other, own],
    ] as const) {
      const { url } = requestOf(route, mine, theirs, null)
      const all = url.replace(/([?&])numbers?=[^&]*/, '$1')
      const reply = await service.get(all, { token: mine.token })
      const text = JSON.stringify(reply.body)
      const kind = listed[route.path]!
      assert.ok(text.includes(mine[kind]), `${route.path} lacks the ${kind}: ${text}`)
      assertShowsNothing(route, reply, theirs, '')
    }
  }
  const routed = routes.filter(({ method, path }) => method === 'GET' && /list$/.test(path))
  const unlisted = routed.map(({ path }) => path).filter((path) => !(path in listed))
  assert.deepEqual(unlisted, ['/v1/error/list'], 'a new list: add it above with its records')
})

test('a number of another account cannot send, even without a campaign field', async (t) => {
  const service = await testService(t, { balance: '1000' })
  const { other } = await stage(service)
  const before = await rowsOf(service, other.accountId)
  const input = { from: other.number, to: '+14155550107', body: 'Hello' }
  assert.ok((await service.post('/v1/message/send', input)).status >= 400)
  const { results } = (await service.post('/v1/message/batch', { messages: [input] })).body
  assert.equal(results[0].success, false)
  assert.equal(await rowsOf(service, other.accountId), before)
})
