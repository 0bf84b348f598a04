// Stopping call forwarding: with a suspended account, by the operator for one number, and with a suspended campaign.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../src/serve.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, testConfig } from '../harness.js'
import { operatedService } from './operator-service.js'

const TARGET = '+14155550188'
const OTHER_TARGET = '+12125550199'

async function forwardingService(t: Parameters<typeof operatedService>[0]) {
  const service = await operatedService(t, { roles: ['voice'] })
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const url = `/v1/number/${number}/forwarding`
  const forward = (forwardNumber: string | null) => service.call('PATCH', url, { forwardNumber })
  const route = async () => (await service.operate('GET', `/voice/route?called=${number}`)).body
  assert.equal((await forward(TARGET)).status, 200)
  await eventually(async () => (await route()).status === 302, 'the forwarding')
  return { service, campaignId, number, forward, route }
}

test('suspending an account stops its call forwarding in every process, and resuming restores it', async (t) => {
  const { service, number, route } = await forwardingService(t)
  const other = await service.otherAccount()
  const { campaignId } = await activeCampaign(service, other)
  const theirs = await buyNumber(service, campaignId, { token: other.token })
  const forwardTheirs = (forwardNumber: string) =>
    service.call('PATCH', `/v1/number/${theirs}/forwarding`, { forwardNumber }, other)
  await forwardTheirs(OTHER_TARGET)
  const node = await startService(
    testConfig({ roles: ['voice'] }),
    service.databaseUrl,
    service.world.log,
  )
  try {
    const nodes = [service.voice!, node.voice!]
    const targets = (of: string) => nodes.map(({ forwardings }) => forwardings.find(of))
    const followed = (to: string) =>
      eventually(
        async () => targets(theirs).every((target) => target === to),
        'the other account’s forwarding',
      )
    await followed(OTHER_TARGET)
    const path = `/account/${service.accountId}`
    assert.equal(
      (await service.operate('POST', `${path}/suspend`, { reason: 'fraud' })).status,
      200,
    )
    // A node reads changes of numbers first, then stopped accounts. At the second later change, it has read both.
    for (const to of [TARGET, OTHER_TARGET]) {
      await forwardTheirs(to)
      await followed(to)
    }
    assert.deepEqual(targets(number), [null, null], 'no forwarding on either node')
    assert.deepEqual(targets(theirs), [OTHER_TARGET, OTHER_TARGET], 'others are not affected')
    const { status, why } = await route()
    assert.deepEqual([status, why], [480, 'The account that holds the number is suspended.'])
    const late = await startService(
      testConfig({ roles: ['voice'] }),
      service.databaseUrl,
      service.world.log,
    )
    assert.equal(late.voice!.forwardings.find(number), null, 'a process that starts later')
    await late.stop()
    assert.equal((await service.operate('POST', `${path}/resume`, { reason: 'ok' })).status, 200)
    const resumed = async () => targets(number).every((target) => target === TARGET)
    await eventually(resumed, 'forwarding again')
  } finally {
    await node.stop()
  }
})

test('a process without numbers in memory also applies the suspension', async (t) => {
  const service = await operatedService(t)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  await service.call('PATCH', `/v1/number/${number}/forwarding`, { forwardNumber: TARGET })
  const route = async () => (await service.operate('GET', `/voice/route?called=${number}`)).body
  assert.equal((await route()).status, 302)
  await service.operate('POST', `/account/${service.accountId}/suspend`, { reason: 'fraud' })
  const { status, why } = await route()
  assert.deepEqual([status, why], [480, 'The account that holds the number is suspended.'])
})

test('the owner of a suspended account can remove a forwarding and do nothing else', async (t) => {
  const { service, number, forward } = await forwardingService(t)
  await service.operate('POST', `/account/${service.accountId}/suspend`, { reason: 'fraud' })
  const isRefused = async () => (await service.get('/v1/account')).status === 403
  await eventually(isRefused, 'the end of its tokens')
  const set = await forward(OTHER_TARGET)
  assert.deepEqual([set.status, set.body.code], [403, 'account_suspended'])
  const removed = await forward(null)
  assert.deepEqual(removed.body, {
    success: true,
    phoneNumber: number,
    forwardNumber: null,
    forwardEnabled: false,
  })
  assert.equal((await service.get(`/v1/number/${number}`)).status, 403)
  await service.operate('POST', `/account/${service.accountId}/resume`, { reason: 'ok' })
  const isBack = async () => (await service.get(`/v1/number/${number}`)).status === 200
  await eventually(isBack, 'its tokens')
  const { body } = await service.get(`/v1/number/${number}`)
  assert.equal(body.number.forwardNumber, null)
})

test('an operator stops the forwarding of one number until it is allowed again', async (t) => {
  const { service, number, forward, route } = await forwardingService(t)
  const path = `/number/${number}/forwarding`
  const stop = await service.operate('POST', `${path}/stop`, { reason: 'toll fraud' })
  assert.equal(stop.status, 200, JSON.stringify(stop.body))
  assert.deepEqual(stop.body, {
    success: true,
    phoneNumber: number,
    accountId: service.accountId,
    forwardNumber: null,
    isStopped: true,
  })
  await eventually(async () => (await route()).status === 480, 'no forwarding')
  const refused = await forward(TARGET)
  assert.deepEqual([refused.status, refused.body.code], [403, 'forwarding_stopped'])
  assert.equal((await forward(null)).status, 200, 'removing is always allowed')
  const allowed = await service.operate('POST', `${path}/allow`, { reason: 'cleared' })
  assert.deepEqual([allowed.status, allowed.body.isStopped], [200, false])
  assert.equal((await forward(TARGET)).status, 200)
  const acts = await service.audit(`&subject=${encodeURIComponent(number)}`)
  const stopped = { act: 'number.stop_forwarding', subject: number }
  assert.deepEqual(acts.map(({ act, before, after }) => ({ act, before, after })).slice(1, 3), [
    {
      act: 'number.allow_forwarding',
      before: { isStopped: true, forwardNumber: null },
      after: { isStopped: false, forwardNumber: null, reason: 'cleared' },
    },
    {
      act: stopped.act,
      before: { isStopped: false, forwardNumber: TARGET },
      after: { isStopped: true, forwardNumber: null, reason: 'toll fraud' },
    },
  ])
})

test('stopping the forwarding of an unowned or malformed number is refused', async (t) => {
  const service = await operatedService(t)
  for (const number of ['+14155550123', 'nonsense']) {
    const path = `/number/${number}/forwarding/stop`
    const { status, body } = await service.operate('POST', path, { reason: 'fraud' })
    assert.deepEqual([status, body.code], [404, 'number_missing'])
  }
})

test('numbers of a suspended campaign stay forwarded and accept no new target', async (t) => {
  const { service, campaignId, forward, route } = await forwardingService(t)
  const path = `/campaign/${campaignId}`
  assert.equal((await service.operate('POST', `${path}/suspend`, { reason: 'spam' })).status, 200)
  const refused = await forward(OTHER_TARGET)
  assert.deepEqual([refused.status, refused.body.code], [409, 'campaign_state'])
  assert.match(refused.body.error, /SUSPENDED/)
  assert.equal((await route()).target, TARGET)
  assert.equal((await forward(TARGET)).status, 200, 'setting the same target again')
  assert.equal((await forward(null)).status, 200)
  assert.equal((await service.operate('POST', `${path}/resume`, { reason: 'ok' })).status, 200)
  assert.equal((await forward(OTHER_TARGET)).status, 200)
})

test('two accounts that forward to each other at the same time cannot close a loop', async (t) => {
  const service = await operatedService(t)
  const { campaignId } = await activeCampaign(service)
  const other = await service.otherAccount()
  const { campaignId: theirs } = await activeCampaign(service, other)
  for (let round = 0; round < 5; round += 1) {
    const ours = await buyNumber(service, campaignId)
    const foreign = await buyNumber(service, theirs, { token: other.token })
    const replies = await Promise.all([
      service.call('PATCH', `/v1/number/${ours}/forwarding`, { forwardNumber: foreign }),
      service.call(
        'PATCH',
        `/v1/number/${foreign}/forwarding`,
        { forwardNumber: ours },
        { token: other.token },
      ),
    ])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400], `round ${round}`)
  }
})
