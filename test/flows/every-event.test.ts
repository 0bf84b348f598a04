// Every type of event is emitted in the transaction of its change: if the event cannot be written, nothing changes, and
// if the change cannot be committed, there is no event. The
// types come from EVENT_TYPES: a new one needs a line in CHANGES or in OTHERS. webhook-receiver.ts checks the bodies.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES, type EventType } from '../../src/events/event.js'
import { raw, sql } from '../../src/kit/postgres/sql.js'
import { type AccountRecords, createAccountRecords, rowsOf } from '../account-records.js'
import { decideOnBrand, newBrand } from '../api/campaign-bodies.js'
import { type TestService, testService } from '../harness.js'

/** A change that emits the event. Returns a status, or rejects. */
const CHANGES: Partial<
  Record<EventType, (service: TestService, own: AccountRecords) => Promise<unknown>>
> = {
  'message.incoming': (service, own) =>
    service.post('/sandbox/inbound', { from: '+14155550188', to: own.number, body: 'Hello' }),
  'message.status': (service, own) => service.call('DELETE', `/v1/message/${own.message}`),
  'recipient.optout': (service, own) =>
    service.call('PUT', `/v1/campaign/${own.campaign}/optouts/14155550177`, { reason: 'Phone' }),
  'brand.changed': async (service) =>
    decideOnBrand(service, await newBrand(service), { kind: 'verify' }),
  'campaign.changed': (service, own) =>
    service.call('PATCH', `/v1/campaign/${own.campaignDraft}`, {
      description: 'Offers of the week',
    }),
  'number.changed': (service, own) => service.call('DELETE', `/v1/number/${own.number.slice(1)}`),
  'conversation.changed': (service, own) =>
    service.call('PATCH', `/v1/campaign/${own.campaign}/conversations/${own.peer.slice(1)}`, {
      status: 'CLOSED',
    }),
}

/** What the change writes. */
const TABLES: Partial<Record<EventType, string>> = {
  'message.incoming': 'messages',
  'message.status': 'messages',
  'recipient.optout': 'optouts',
  'campaign.changed': 'campaigns',
  'number.changed': 'numbers',
  'conversation.changed': 'conversations',
}

/** Emitted by a loop, and covered with it. */
const OTHERS: Partial<Record<EventType, string>> = {
  'alert.raised': 'test/api/alerts.test.ts',
  'alert.cleared': 'test/api/alerts.test.ts',
}

test('every type of event is written with its change, or neither is', async (t) => {
  const service = await testService(t, { balance: '1000' })
  const own = await createAccountRecords(service, service, 'Mineral')
  const { db } = service.world
  const missing = EVENT_TYPES.filter((type) => !(type in CHANGES || type in OTHERS))
  assert.deepEqual(
    missing,
    [],
    'a new type: add a request that emits it to CHANGES, and the table that the request writes to TABLES',
  )
  await db.query(sql`
    create function refuse_event() returns trigger language plpgsql as
      $$ begin raise exception 'no events today'; end $$`)
  for (const [type, change] of Object.entries(CHANGES)) {
    const count = async () => {
      const [row] = await db.query<{ count: number }>(sql`
        select count(*)::int as count from events
        where account_id = ${own.accountId} and event_type = ${type}`)
      return row!.count
    }
    const refuse = raw(`create trigger refuse before insert on events for each row
      when (new.event_type = '${type}') execute function refuse_event()`)
    await db.query(sql`${refuse}`)
    // A brand is made before the change that emits, and stays.
    if (type === 'brand.changed') {
      await assert.rejects(change(service, own) as Promise<unknown>)
    } else {
      const before = await rowsOf(service, own.accountId)
      const reply = (await change(service, own)) as { status: number }
      assert.ok(reply.status >= 500, `${type}: ${JSON.stringify(reply)}`)
      assert.equal(await rowsOf(service, own.accountId), before, `${type}: nothing changed`)
    }
    await db.query(sql`drop trigger refuse on events`)
    const earlier = await count()
    if (type !== 'brand.changed') {
      const table = raw(TABLES[type as EventType]!)
      await db.query(sql`
        create constraint trigger refuse after insert or update or delete on ${table}
          deferrable initially deferred for each row execute function refuse_event()`)
      const reply = (await change(service, own)) as { status: number }
      assert.ok(reply.status >= 500, `${type}: ${JSON.stringify(reply)}`)
      assert.equal(await count(), earlier, `${type}: no event without its change`)
      await db.query(sql`drop trigger refuse on ${table}`)
    }
    const reply = (await change(service, own)) as { status?: number } | undefined
    assert.equal(reply?.status ?? 200, 200, `${type}: ${JSON.stringify(reply)}`)
    assert.ok((await count()) > earlier, `${type} is emitted`)
  }
})
