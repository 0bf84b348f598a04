// Everything that a customer can read needs no machine but its account's: what is read on every machine fails for
// everybody when one of them is away. Each read of the API is requested, and its statements are repeated on a connection
// that shows which machines Citus asks.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { createWebhook } from '../flows/webhook-receiver.js'
import { type TestService, testService } from '../harness.js'
import { VZW } from '../sending.js'
import { watched } from './asked-machines.js'

interface Asked {
  name?: string
  text: string
  values: unknown[]
}

/** A prepared statement is planned for its values five times, and then once for all values. */
const TIMES = 7
/** Read by an id that is a public address, before the account is known (docs/scale.md). */
const ELSEWHERE = /\bfrom media\b/

test("every read of the API asks the account's own machine alone", async (t) => {
  const service = await testService(t)
  const { accountId, databaseUrl } = service
  const paths = await readablePaths(service)
  const { machineOf, during } = await watched(t, databaseUrl)
  const own = await machineOf(accountId)
  const statements = recordStatements(t)
  const strays = new Map<string, string>()
  for (const path of paths) {
    statements.clear()
    const { status } = await service.get(path)
    assert.ok(status < 500, `${path}: ${status}`)
    for (const statement of [...statements.values()].filter(({ text }) => !ELSEWHERE.test(text))) {
      const { machines } = await during(async (db) => {
        for (let i = 0; i < TIMES; i += 1) await db.query(statement as never)
      })
      if (machines.some((one) => one !== own)) strays.set(statement.text, path)
    }
  }
  assert.deepEqual([...strays], [])
})

/** Those of the reference that answer once, with the ids of what this account has. */
async function readablePaths(service: TestService): Promise<string[]> {
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const webhook = await createWebhook(service, campaignId, 'https://receiver.invalid/')
  const message = await service.post('/v1/message/send', {
    ...{ campaign: campaignId, to: VZW, body: 'read me' },
  })
  assert.equal(message.status, 200, JSON.stringify(message.body))
  const campaign = await service.get(`/v1/campaign/${campaignId}`)
  const ids: Record<string, string> = {
    campaign: campaignId,
    brand: campaign.body.campaign.brandId,
    webhook: webhook.id,
    message: message.body.id,
    number: String(number).replace('+', ''),
  }
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, { get?: object }>
  }
  const filtered = [
    ...[`campaign=${campaignId}`, 'status=QUEUED', 'direction=INBOUND'].map(
      (query) => `/v1/message/list?${query}`,
    ),
    ...['bucket=day&by=campaign', `by=carrier&campaign=${campaignId}`].map(
      (query) => `/v1/stats/messages?${query}`,
    ),
    `/v1/message/search?number=${encodeURIComponent(VZW)}`,
    `/v1/conversation/list?campaign=${campaignId}`,
  ]
  const plain = Object.entries(paths)
    .filter(([path, { get }]) => get && path.startsWith('/v1/') && !path.includes('stream'))
    .map(([path]) =>
      path.replaceAll(/\/(\w+)\/\{(\w+)\}/g, (_, kind: string, name: string) => {
        const id = ids[kind] ?? ids[name] ?? (name === 'number' ? ids.number : 'none')
        return `/${kind}/${id}`
      }),
    )
  return [...plain, ...filtered]
}

/** What the service sends to its database from now on, each text once. */
function recordStatements(t: TestContext): Map<string, Asked> {
  const statements = new Map<string, Asked>()
  const { query } = pg.Client.prototype
  t.mock.method(pg.Client.prototype, 'query', function record(this: pg.Client, ...args: unknown[]) {
    const [first] = args as [Partial<Asked>]
    if (first?.text && first.values && / from /.test(first.text)) {
      statements.set(first.text, first as Asked)
    }
    return (query as (...all: unknown[]) => unknown).apply(this, args)
  })
  return statements
}
