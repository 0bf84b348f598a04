// Starting point for message tests: a campaign with a number, and shortcuts to send and read messages.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Campaign } from '../src/campaigns/campaign.js'
import { findCampaign, updateCampaign } from '../src/campaigns/campaign-queries.js'
import { sql } from '../src/kit/postgres/sql.js'
import { NEXT, type Status } from '../src/messages/message-state.js'
import { activeCampaign, buyNumber } from './fixtures.js'
import {
  type CallOptions,
  eventually,
  type Json,
  type Reply,
  type TestOptions,
  type TestService,
  testService,
} from './harness.js'

export const SMS_PRICE = 0.0079
export const MMS_PRICE = 0.02

/** Recipients that accept every message. The last digit selects the network. */
export const ATT = '+14155550101'
export const TMO = '+14155550105'
export const VZW = '+14155550107'

export interface Sending {
  service: TestService
  campaignId: string
  number: string
  /** Sends "Hello" to a Verizon number by default. */
  trySend: (input?: Json, options?: CallOptions) => Promise<Reply>
  /** The id of the message, which must be accepted. */
  send: (input?: Json, options?: CallOptions) => Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely; the schema is checked anyway
  message: (id: string) => Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  until: (id: string, status: string) => Promise<any>
  kinds: (id: string) => Promise<string[]>
  inbound: (from: string, body: string, more?: Json) => Promise<Reply>
  advance: (seconds: number) => Promise<void>
}

export async function sendingService(t: TestContext, options: TestOptions = {}): Promise<Sending> {
  const service = await testService(t, options)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const trySend: Sending['trySend'] = (input = {}, callOptions) =>
    service.post(
      '/v1/message/send',
      { campaign: campaignId, to: VZW, body: 'Hello', ...input },
      callOptions,
    )
  const message: Sending['message'] = async (id) => {
    const { status, body } = await service.get(`/v1/message/${id}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.message
  }
  return {
    service,
    campaignId,
    number,
    trySend,
    send: async (input, callOptions) => idOf(await trySend(input, callOptions)),
    message,
    until: (id, status) =>
      eventually(async () => {
        const found = await message(id)
        // It would wait for minutes for what cannot happen anymore.
        const mayCome = found.status === status || reachable(found.status).has(status as Status)
        assert.ok(mayCome, `the message became ${found.status}, not ${status}`)
        return found.status === status && found
      }, `message ${status}`),
    kinds: async (id) => {
      const { body } = await service.get(`/v1/message/${id}/timeline`)
      return body.timeline.map((entry: { kind: string }) => entry.kind)
    },
    inbound: (from, body, more = {}) =>
      service.post('/sandbox/inbound', { from, to: number, body, ...more }),
    advance: async (seconds) => {
      const { status } = await service.post('/sandbox/clock/advance', { seconds })
      assert.equal(status, 200)
    },
  }
}

/** Every status that can follow. */
function reachable(from: Status, found = new Set<Status>()): Set<Status> {
  for (const next of NEXT[from].filter((one) => !found.has(one))) reachable(next, found.add(next))
  return found
}

export function idOf(reply: Reply): string {
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.id
}

/** What a client sees of an error: the status and the text. */
export function told({ status, body }: Reply): [number, string] {
  return [status, body.error]
}

export function assertDollars(actual: number, expected: number): void {
  assert.equal(actual.toFixed(6), expected.toFixed(6))
}

/** Records receipts for the link's messages of the last day: without them, silence does not lead to a resend. */
export async function receiptsArrive({ world }: TestService, share = 1): Promise<void> {
  await world.db.query(sql`
    insert into link_evidence (link, hour, sent, receipted)
    values ('fake', ${world.clock.now()}, 100, ${Math.round(share * 100)})`)
}

/** Changes a campaign as an operator could. */
export async function changeCampaign(
  { world, accountId }: TestService,
  campaignId: string,
  change: Partial<Campaign>,
): Promise<void> {
  await world.db.transaction(async (tx) => {
    const campaign = await findCampaign(tx, accountId, campaignId)
    assert.ok(campaign)
    await updateCampaign(tx, { ...campaign, ...change })
  })
}

export interface EventRow {
  eventType: string
  status: string | null
  previousStatus: string | null
  sequence: number | null
  errorCode: number | null
  // biome-ignore lint/suspicious/noExplicitAny: its shape is the event's own
  data: any
}

/** The events about a message, in order. */
export async function eventsOf({ world }: TestService, messageId: string): Promise<EventRow[]> {
  return world.db.query<EventRow>(sql`
    select event_type as "eventType", status, previous_status as "previousStatus", sequence,
      error_code as "errorCode", data
    from events where message_id = ${messageId} order by sequence, id`)
}
