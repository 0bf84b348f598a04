// On every route, null for an optional field counts as "not given". Where null has another meaning (stop
// forwarding, no limit, back to the default), the schema declares it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customerRoutes, fillPath, type JsonSchema, operatorRoutes } from '../every-route.js'
import type { Json } from '../harness.js'
import { sendingService, VZW } from '../sending.js'
import { OPERATOR_TOKEN, operatedService } from './operator-service.js'

type Path = readonly string[]

/** Fields where null can only mean "not given": optional and not declared as nullable. */
function optionalPaths(schema: JsonSchema, before: Path = []): Path[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = [...before, name]
    const isOptional = !schema.required?.includes(name) && !takesNull(field)
    return [...(isOptional ? [at] : []), ...optionalPaths(field, at)]
  })
}

function takesNull(schema: JsonSchema): boolean {
  return [schema.type ?? []].flat().includes('null') || (schema.anyOf?.some(takesNull) ?? false)
}

function withAt(body: Json, [name, ...rest]: Path, value: unknown): Json {
  const { [name!]: inner, ...others } = body
  if (rest.length > 0) return { ...others, [name!]: withAt((inner ?? {}) as Json, rest, value) }
  return value === undefined ? others : { ...others, [name!]: value }
}

/** Ids and times differ between requests. */
function comparable(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replaceAll(/\b(?:[a-z]{3}_[0-9a-z]{26}|lc[oi]?_[\w-]+)/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/"(smppPassword|systemId)":"\w+"/g, '"$1":"made"')
    .replaceAll(/"(?:balance|aheadSeconds)":[\d.]+/g, '')
  return JSON.parse(text.replaceAll(/,(?=[,}])|(?<=\{),/g, ''))
}

let imported = 0

/** Each number can be imported only once. */
function fresh(path: string, body: Json): Json {
  if (!path.endsWith('/number/import')) return body
  const text = JSON.stringify(body)
  return JSON.parse(text.replaceAll(/\+1415\d{7}/g, () => `+1415200${5_000 + imported++}`))
}

test('on every route, null for an optional field has the same result as leaving it out', async (t) => {
  const service = await operatedService(t, { balance: '1000' })
  const routes = [
    ...customerRoutes(service).map((route) => ({ ...route, token: service.token })),
    ...operatorRoutes(service).map((route) => ({ ...route, token: OPERATOR_TOKEN })),
  ]
  let tried = 0
  for (const { body: schema, bodyExample, token, ...route } of routes) {
    for (const at of schema ? optionalPaths(schema) : []) {
      const where = `${route.method} ${route.path} ${at.join('.')}`
      const url = fillPath({ ...route, body: schema, bodyExample })
      const call = async (body: Json) => {
        const reply = await service.call(route.method, url, fresh(route.path, body), { token })
        // An account has one running export at a time.
        if (reply.body.export) await service.call('DELETE', `/v1/export/${reply.body.export.id}`)
        return reply
      }
      const absent = await call(withAt(bodyExample, at, undefined))
      const given = await call(withAt(bodyExample, at, null))
      assert.equal(given.status, absent.status, `${where}: ${JSON.stringify(given.body)}`)
      assert.deepEqual(comparable(given.body), comparable(absent.body), where)
      tried += 1
    }
  }
  assert.ok(tried > 30, String(tried))
})

test('a message with null in all optional fields is sent', async (t) => {
  const { service, campaignId, trySend, message } = await sendingService(t)
  const none = { from: null, mediaUrls: null, metadata: null, scheduledAt: null }
  const reply = await trySend(none)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  assert.equal(reply.body.warnings, undefined)
  const sent = await message(reply.body.id)
  assert.deepEqual([sent.type, sent.metadata, sent.scheduledAt], ['SMS', {}, null])

  const messages = [{ campaign: campaignId, to: VZW, body: 'Hello', ...none }]
  const batch = await service.post('/v1/message/batch', { messages })
  assert.equal(batch.body.results[0].success, true)
})

test('null for a required field counts as missing', async (t) => {
  const { service, trySend } = await sendingService(t)
  assert.equal((await trySend({ body: null })).body.error, 'Message body required')
  const brand = await service.post('/v1/brand/create', { ein: null })
  assert.equal(brand.body.error, 'entityType is required')
  const bought = await service.post('/v1/number/buy', { number: null, campaign: 'x' })
  assert.equal(bought.body.error, 'number is required')
})

test('null keeps its meaning in a nullable field', async (t) => {
  const { service, number } = await sendingService(t)
  const url = `/v1/number/${number.slice(1)}/forwarding`
  await service.call('PATCH', url, { forwardNumber: VZW })
  const stopped = await service.call('PATCH', url, { forwardNumber: null })
  assert.equal(stopped.body.forwardEnabled, false)
  assert.equal(stopped.body.forwardNumber, null)
})
