// A carrier that refuses one sending number: its messages fail uncharged, the number is flagged, its owner is
// notified, and the link stays up for every other number. Counted at the provider's side.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { buyNumber } from '../fixtures.js'
import { eventually } from '../harness.js'
import { type ProviderKind, providerService } from '../providers/provider-service.js'
import { assertDollars, SMS_PRICE } from '../sending.js'

const TO = '+14155550107'
const OTHER = '+14155550108'

/** Codes about the sender, by provider. */
const CODES: Record<ProviderKind, readonly string[]> = {
  telnyx: ['40305', '40312', '40313', '40314', '40321'],
  bandwidth: ['4403', '4405', '4407'],
  twilio: ['21606', '21659', '21703'],
}

for (const kind of Object.keys(CODES) as ProviderKind[]) {
  test(`${kind}: a refused sender fails and is flagged, and the link stays up for others`, async (t) => {
    const stage = await providerService(t, kind)
    const { fake, service, send, until, number, campaignId } = stage
    const second = await buyNumber(service, campaignId)
    const posts = () => fake.requests.filter(({ method }) => method === 'POST').length
    const numberNow = async () => (await service.get(`/v1/number/${number.slice(1)}`)).body.number
    const before = await service.balance()
    let delivered = 0
    for (const code of CODES[kind]) {
      fake.refuses.set(TO, code)
      const failed = await until(await send({ from: number, to: TO }), 'FAILED')
      assert.deepEqual([failed.errorCode, failed.price], [1345, 0], code)
      const flagged = await eventually(async () => {
        const { sendingRefused } = await numberNow()
        return sendingRefused
      }, `${code}: the number is flagged`)
      assert.match(flagged.reason, new RegExp(`^${code}`))

      // Others continue immediately, and nothing more is sent from this number for now.
      await until(await send({ from: second, to: OTHER }), 'DELIVERED')
      delivered += 1
      const asked = posts()
      const held = await until(await send({ from: number, to: OTHER }), 'FAILED')
      assert.deepEqual([held.errorCode, held.price], [1345, 0])
      assert.equal(posts(), asked, 'no request reached the provider')

      fake.refuses.clear()
      await stage.advance(61)
      await until(await send({ from: number, to: TO }), 'DELIVERED')
      delivered += 1
      await eventually(
        async () => (await numberNow()).sendingRefused === undefined,
        'the flag is cleared',
      )
    }
    assert.equal(fake.taken.length, delivered)
    assertDollars(await service.balance(), before - delivered * SMS_PRICE)
    const changes = await service.world.db.query<{ change: string }>(sql`
      select data ->> 'change' as change from events
      where event_type = 'number.changed' and number = ${number} order by id`)
    assert.deepEqual(
      changes.map(({ change }) => change).filter((change) => change !== 'bought'),
      CODES[kind].flatMap(() => ['refused', 'accepted']),
    )
    const { body } = await service.get('/readyz', { token: null })
    assert.equal(body.parts.carrier, 'ok')
  })
}

test('a sender refused in a receipt is flagged and not charged', async (t) => {
  const { fake, service, send, until, number } = await providerService(t, 'twilio')
  const before = await service.balance()
  fake.outcomes.set(TO, { status: 'failed', code: '21606' })
  const failed = await until(await send({ to: TO }), 'FAILED')
  assert.deepEqual([failed.errorCode, failed.price], [1345, 0])
  assertDollars(await service.balance(), before)
  await eventually(async () => {
    const { body } = await service.get(`/v1/number/${number.slice(1)}`)
    return body.number.sendingRefused !== undefined
  }, 'the number is flagged')
})
