// Everything a customer can read needs only the node of its account: a read from every node would fail for
// everyone while one node is down. The test sends every GET request of the API and repeats its statements on a
// connection that records which nodes Citus contacts.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { createWebhook } from '../flows/webhook-receiver.js'
import { type TestService, testService } from '../harness.js'
import { VZW } from '../sending.js'
import { watchNodes } from './contacted-nodes.js'

interface RecordedStatement {
  name?: string
  text: string
  values: unknown[]
}

/** PostgreSQL plans a prepared statement for its values five times, and then once for all values. */
const TIMES = 7
/** Read by a public id before the account is known (docs/scale.md). */
const ELSEWHERE = /\bfrom media\b/

test('every read of the API contacts only the account’s own node', async (t) => {
  const service = await testService(t)
  const { accountId, databaseUrl } = service
  const paths = await readablePaths(service)
  const { nodeOf, during } = await watchNodes(t, databaseUrl)
  const own = await nodeOf(accountId)
  const statements = recordStatements(t)
  const strays = new Map<string, string>()
  for (const path of paths) {
    statements.clear()
    const { status } = await service.get(path)
    assert.ok(status < 500, `${path}: ${status}`)
    for (const statement of [...statements.values()].filter(({ text }) => !ELSEWHERE.test(text))) {
      const { nodes } = await during(async (db) => {
        for (let i = 0; i < TIMES; i += 1) await db.query(statement as never)
      })
      if (nodes.some((one) => one !== own)) strays.set(statement.text, path)
    }
  }
  assert.deepEqual([...strays], [])
})

/** The GET paths of openapi.json without the stream, with the ids of this account's records. */
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

/** The statements the service sends to its database from now on, each once. */
function recordStatements(t: TestContext): Map<string, RecordedStatement> {
  const statements = new Map<string, RecordedStatement>()
  const { query } = pg.Client.prototype
  t.mock.method(pg.Client.prototype, 'query', function record(this: pg.Client, ...args: unknown[]) {
    const [first] = args as [Partial<RecordedStatement>]
    if (first?.text && first.values && / from /.test(first.text)) {
      statements.set(first.text, first as RecordedStatement)
    }
    return (query as (...all: unknown[]) => unknown).apply(this, args)
  })
  return statements
}
