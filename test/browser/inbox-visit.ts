// The console's inbox with a campaign and people, for browser tests.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { MARK, PASSWORD, personWith } from '../people-fixtures.js'
import { contextApart, type Visit, visit } from './browser.js'

export const ANA = '+14155550101'
export const BEN = '+14155550102'
export const CORA = '+14155550103'

export interface InboxVisit extends Visit {
  campaignId: string
  /** Sends a message to a phone. */
  send: (body: string, to?: string) => Promise<unknown>
  /** A phone writes to the campaign's number. */
  hear: (body: string, from?: string) => Promise<unknown>
  name: (phone: string, name: string, fields?: Record<string, string>) => Promise<unknown>
  /** Signs a new person in and opens a path, in a browser that shares nothing with the others. */
  personAt: (role: string, place: string) => Promise<Page>
  /** The path of the conversation with this phone. */
  placeOf: (phone: string) => string
}

export async function visitInbox(t: TestContext): Promise<InboxVisit | null> {
  const visited = await visit(t)
  if (!visited) return null
  const { service, context, url } = visited
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const personAt = async (role: string, place: string) => {
    const { userId } = await personWith(service, role)
    assert.ok(userId)
    const own = await contextApart(t, context)
    await signIn(own, url, `${role}@example.com`)
    const page = await own.newPage()
    await page.goto(`${url}${place}`)
    return page
  }
  return {
    ...visited,
    campaignId,
    personAt,
    send: (body, to = ANA) => service.post('/v1/message/send', { campaign: campaignId, to, body }),
    hear: (body, from = ANA) => service.post('/sandbox/inbound', { from, to: number, body }),
    name: (phone, name, fields = {}) =>
      service.call('PUT', `/v1/contact/${phone.slice(1)}`, { name, fields }),
    placeOf: (phone) => `conversations/${campaignId}/${phone.slice(1)}`,
  }
}

async function signIn(context: BrowserContext, url: string, email: string): Promise<void> {
  const data = { email, password: PASSWORD }
  const reply = await context.request.post(`${url}session/password`, { headers: MARK, data })
  assert.equal(reply.status(), 200)
}
