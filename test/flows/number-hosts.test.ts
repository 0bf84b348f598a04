// Two providers and numbers from both: messages from a number leave only through the provider that hosts it,
// despite routes and failover. Counted at the providers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NumberHosting } from '../../src/carriers/routing/number-hosting.js'
import { runCommand } from '../commands/run-command.js'
import { activeCampaign, addInventory } from '../fixtures.js'
import { eventually } from '../harness.js'
import type { FakeProvider } from '../providers/fake-provider.js'
import { assertBought, type TwoSellers, twoSellers } from '../providers/number-service.js'
import { VZW } from '../sending.js'

const TELNYX = ['+14152000001', '+14152000002']
const TWILIO = ['+14152000011', '+14152000012']
const BOTH_WAYS = `  - links: [telnyx]
    failover: [twilio]
    onSlowDown: next
`

function recipient(i: number): string {
  return `+1415555${String(2_000 + i)}`
}

/** How many left from each number, by provider. */
function sentFrom({ taken }: FakeProvider): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { from } of taken) counts[from] = (counts[from] ?? 0) + 1
  return counts
}

async function buyFor({ service }: TwoSellers, campaignId: string, number: string): Promise<void> {
  assertBought(await service.post(`/v1/campaign/${campaignId}/number/buy`, { number }), 'PENDING')
  await eventually(async () => {
    const { body } = await service.get(`/v1/number/${number.slice(1)}`)
    return body.number?.status === 'ACTIVE'
  }, `${number} is ACTIVE`)
}

async function sendFrom(
  { service }: TwoSellers,
  { campaignId, from, to }: { campaignId: string; from: string; to: string },
): Promise<string> {
  const sent = await service.post('/v1/message/send', {
    ...{ campaign: campaignId, from, to, body: 'Hello' },
  })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  return sent.body.id
}

const statusOf = async ({ service }: TwoSellers, id: string): Promise<string> =>
  (await service.get(`/v1/message/${id}`)).body.message.status

async function untilDelivered(stage: TwoSellers, ids: readonly string[]): Promise<void> {
  await eventually(async () => {
    const statuses = await Promise.all(ids.map((id) => statusOf(stage, id)))
    return statuses.every((status) => status === 'DELIVERED')
  }, 'all are delivered')
}

/** One campaign with two numbers of each provider. */
async function mixedCampaign(stage: TwoSellers): Promise<string> {
  const { campaignId } = await activeCampaign(stage.service)
  await stage.route(BOTH_WAYS)
  for (const number of [...TELNYX, ...TWILIO]) await buyFor(stage, campaignId, number)
  return campaignId
}

test('no message leaves from a number at the wrong provider, even while the right one is down', async (t) => {
  const stage = await twoSellers(t, { telnyx: TELNYX, twilio: TWILIO })
  const { telnyx, twilio } = stage
  const campaignId = await mixedCampaign(stage)
  const senders = [...TELNYX, ...TWILIO]
  const first: string[] = []
  for (let i = 0; i < 24; i++) {
    const from = senders[i % senders.length]!
    first.push(await sendFrom(stage, { campaignId, from, to: recipient(i) }))
  }
  await untilDelivered(stage, first)
  assert.deepEqual(sentFrom(telnyx), { [TELNYX[0]!]: 6, [TELNYX[1]!]: 6 })
  assert.deepEqual(sentFrom(twilio), { [TWILIO[0]!]: 6, [TWILIO[1]!]: 6 })

  await telnyx.stop()
  const down: string[] = []
  const up: string[] = []
  for (let i = 0; i < 12; i++) {
    const from = senders[i % senders.length]!
    const id = await sendFrom(stage, { campaignId, from, to: recipient(100 + i) })
    ;(TELNYX.includes(from) ? down : up).push(id)
  }
  await untilDelivered(stage, up)
  const waiting = await Promise.all(down.map((id) => statusOf(stage, id)))
  assert.deepEqual(new Set(waiting), new Set(['QUEUED']), 'what Telnyx hosts waits for Telnyx')
  assert.deepEqual(Object.keys(sentFrom(twilio)).sort(), TWILIO)

  await telnyx.start()
  await untilDelivered(stage, down)
  assert.deepEqual(Object.keys(sentFrom(telnyx)).sort(), TELNYX)
  assert.deepEqual(Object.keys(sentFrom(twilio)).sort(), TWILIO)
  const total = telnyx.taken.length + twilio.taken.length
  assert.equal(total, 36, 'each once')
})

test('search and purchase for a campaign offer only numbers that its links host', async (t) => {
  const stage = await twoSellers(t, { telnyx: TELNYX, twilio: TWILIO })
  const { service, route } = stage
  const { campaignId: atTelnyx } = await activeCampaign(service)
  const { campaignId: atTwilio } = await activeCampaign(service)
  await route(
    `  - campaigns: [${atTelnyx}]\n    links: [telnyx]\n  - campaigns: [${atTwilio}]\n    links: [twilio]\n`,
  )
  const found = async (campaign: string) => {
    const { body } = await service.get(`/v1/number/search?areaCode=415&campaign=${campaign}`)
    return body.numbers.map(({ number }: { number: string }) => number)
  }
  assert.deepEqual(await found(atTelnyx), TELNYX)
  assert.deepEqual(await found(atTwilio), TWILIO)

  const before = await service.balance()
  const path = `/v1/campaign/${atTelnyx}/number/buy`
  const refused = await service.post(path, { number: TWILIO[0] })
  assert.equal(refused.status, 409)
  assert.equal(refused.body.code, 'number_not_carried')
  assert.match(refused.body.error, /No carrier link of this campaign hosts the number/)
  assert.equal(await service.balance(), before, 'no money moved')
  assert.deepEqual(stage.twilio.numbers.orders, [])
  await buyFor(stage, atTwilio, TWILIO[0]!)
  assert.deepEqual(await found(atTwilio), [TWILIO[1]])
})

test('numbers move only to a campaign whose links host them, and the preview shows it first', async (t) => {
  const stage = await twoSellers(t, { telnyx: TELNYX, twilio: TWILIO })
  const { service } = stage
  const { campaignId: from } = await activeCampaign(service)
  const { campaignId: to } = await activeCampaign(service)
  const routes = (links: string) =>
    `  - campaigns: [${from}]\n    links: [telnyx, twilio]\n  - campaigns: [${to}]\n    links: [${links}]\n`
  await stage.route(routes('telnyx'))
  for (const number of [TELNYX[0]!, ...TWILIO]) await buyFor(stage, from, number)
  const wanted = { confirm: from, moveNumbersTo: to }
  const reason = 'Requested by the customer'
  const refusals = [
    await service.get(`/v1/campaign/${from}/end?moveNumbersTo=${to}`),
    await service.post(`/v1/campaign/${from}/end`, wanted),
    await service.operate('POST', `/campaign/${from}/end`, { ...wanted, reason }),
  ]
  for (const { status, body } of refusals) {
    assert.deepEqual([status, body.code], [409, 'number_not_carried'], JSON.stringify(body))
    assert.match(body.error, /hosts \+1415200001[12] and 1 other number\. Nothing was changed\./)
  }
  const env = { ...stage.env, DATABASE_URL: service.databaseUrl, LONGCODE_MODE: 'sandbox' }
  const command = ['campaign', 'end', from, '--move-numbers-to', to, '--reason', reason]
  for (const args of [command, [...command, '--yes']]) {
    const { code, err } = await runCommand(args, env)
    assert.equal(code, 1)
    assert.match(err, /No carrier link of campaign .* hosts \+1415200001[12]/)
  }
  const { body } = await service.get(`/v1/campaign/${from}`)
  assert.equal(body.campaign.status, 'ACTIVE', 'nothing was ended')

  await stage.route(routes('telnyx, twilio'))
  const ended = await service.post(`/v1/campaign/${from}/end`, wanted)
  assert.equal(ended.status, 200, JSON.stringify(ended.body))
  assert.equal(ended.body.ending.numbersMoved, 3)
})

test('own stock is sold and sent only through the links in its import', async (t) => {
  const stage = await twoSellers(t, { telnyx: [], twilio: [] })
  const { service, route } = stage
  const { campaignId } = await activeCampaign(service)
  await route(BOTH_WAYS)
  const named = '+14152000021'
  const unnamed = '+14152000022'
  await addInventory(service, [{ number: named, hosts: ['twilio'] }, unnamed])
  const buy = (number: string) => service.post(`/v1/campaign/${campaignId}/number/buy`, { number })
  assert.equal((await buy(unnamed)).body.code, 'number_not_carried', 'its host is unknown')
  assertBought(await buy(named), 'ACTIVE')
  const id = await sendFrom(stage, { campaignId, from: named, to: VZW })
  await untilDelivered(stage, [id])
  assert.deepEqual([stage.telnyx.taken.length, stage.twilio.taken.length], [0, 1])
})

test('a message from a number without a link waits with a reason, and doctor and check list the number', async (t) => {
  const stage = await twoSellers(t, { telnyx: TELNYX, twilio: TWILIO })
  const { service, telnyx, twilio, route } = stage
  const campaignId = await mixedCampaign(stage)
  await route(`  - campaigns: [${campaignId}]\n    links: [telnyx]\n  - links: [twilio]\n`)
  const from = TWILIO[0]!
  const id = await sendFrom(stage, { campaignId, from, to: VZW })
  const after = await sendFrom(stage, { campaignId, from: TELNYX[0]!, to: VZW })
  await untilDelivered(stage, [after])
  assert.equal(await statusOf(stage, id), 'QUEUED')
  const { body } = await service.get(`/v1/message/${id}/timeline`)
  assert.match(JSON.stringify(body.timeline), /Waiting: no carrier link that hosts \+14152000011/)
  assert.deepEqual(twilio.taken, [])
  assert.deepEqual(
    telnyx.taken.map(({ from }) => from),
    [TELNYX[0]],
  )

  const env = { ...stage.env, DATABASE_URL: service.databaseUrl, LONGCODE_MODE: 'sandbox' }
  const check = await runCommand(['carrier', 'check'], env)
  assert.equal(check.code, 0, check.err)
  for (const number of TWILIO) assert.ok(check.out.includes(number), check.out)
  for (const number of TELNYX) assert.ok(!check.out.includes(number), check.out)
  const doctor = await runCommand(['doctor'], env)
  assert.equal(doctor.code, 1)
  assert.match(
    doctor.out,
    /FAIL {2}hosts .*hosted by twilio, and its routes use telnyx: \+14152000011, \+14152000012\./,
  )

  await route(BOTH_WAYS)
  await service.post('/sandbox/clock/advance', { seconds: 20 })
  await untilDelivered(stage, [id])
  assert.deepEqual(sentFrom(twilio), { [from]: 1 })
})

test('links of one provider account share its numbers, and the simulator hosts all', () => {
  const smpp = (name: string) => ({ name, kind: 'smpp', hostsStock: null })
  const twilio = (name: string, account: string) => ({
    ...{ name, kind: 'twilio', account, hostsStock: null },
  })
  const any = { networks: null, prefixes: null, campaigns: null, types: null }
  const routeTo = (links: string[]) => ({
    ...{ name: 'r', ...any, failover: [], onSlowDown: 'wait' as const },
    links: links.map((link) => ({ link, share: 1 })),
  })
  const links = [smpp('east'), smpp('west'), twilio('a', 'A'), twilio('a2', 'A'), twilio('b', 'B')]
  const hosting = new NumberHosting({ links, routes: [routeTo(['east', 'a2'])] })
  assert.deepEqual(hosting.hostsOf({ link: 'a', hosts: null }), ['a', 'a2'])
  assert.deepEqual(hosting.hostsOf({ link: 'gone', hosts: null }), [])
  assert.deepEqual(hosting.hostsOf({ link: null, hosts: ['west', 'b'] }), ['west', 'b'])
  assert.deepEqual(hosting.hostsOf({ link: null, hosts: null }), ['east', 'west'])
  assert.equal(hosting.canSend({ link: 'a', hosts: null }, 'cmp_1'), true)
  assert.equal(hosting.canSend({ link: 'b', hosts: null }, 'cmp_1'), false)
  const stock = { links: ['east', 'a2'], isUnnamedHosted: true }
  assert.deepEqual(
    hosting.stockFor('cmp_1'),
    stock,
    'one link that hosts unnamed numbers is enough',
  )
  const named = new NumberHosting({ links, routes: [routeTo(['a', 'b'])] })
  assert.deepEqual(named.stockFor('cmp_1'), { links: ['a', 'b'], isUnnamedHosted: false })
  const alone = new NumberHosting({ links: [twilio('a', 'A')], routes: [routeTo(['a'])] })
  assert.deepEqual(alone.hostsOf({ link: null, hosts: null }), ['a'], 'the only account')
  const stated = [{ ...twilio('a', 'A'), hostsStock: true }, smpp('east')]
  const both = new NumberHosting({ links: stated, routes: [routeTo(['a'])] })
  assert.deepEqual(both.hostsOf({ link: null, hosts: null }), ['a', 'east'])
  const simulator = { name: 'sim', kind: 'simulator', hostsStock: null }
  const mixed = new NumberHosting({ links: [simulator, twilio('a', 'A')], routes: [] })
  assert.deepEqual(mixed.hostsOf({ link: 'b', hosts: null }), ['sim'])
  assert.equal(new NumberHosting({ links: [simulator], routes: [] }).isTrivial, true)
})
