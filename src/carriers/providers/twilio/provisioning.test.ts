// The setup of an account at Twilio whose lists have several pages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderRequest } from '../provider.js'
import type { ProviderClient } from '../provider-client.js'
import { openTwilioProvisioning } from './provisioning.js'

const URL_OF_OURS = 'https://ours.test/carrier/twilio'

/** Returns these pages of messaging services, in order. */
function clientOf(pages: readonly (readonly string[])[]) {
  const requests: string[] = []
  const requestJson = async ({ url }: ProviderRequest) => {
    requests.push(url)
    const at = Number(new URL(url).searchParams.get('Page') ?? 0)
    const services = pages[at]!.map((name) => ({
      ...{ sid: `MG-${name}`, friendly_name: name, inbound_request_url: URL_OF_OURS },
    }))
    // Only the query string of the next page counts. A request never goes to another host.
    const next = `https://elsewhere.test/v1/Services?PageSize=500&Page=${at + 1}&PageToken=t${at + 1}`
    return { services, meta: { next_page_url: at + 1 < pages.length ? next : null } }
  }
  const client: ProviderClient = { requestJson, request: async () => null, close: async () => {} }
  const values = { url: 'https://t.test', messagingUrl: 'https://m.test', accountSid: 'AC1' }
  return { requests, provisioning: openTwilioProvisioning(values, client) }
}

test('a messaging service is found on the last of several pages, and no page is read twice', async () => {
  const { provisioning, requests } = clientOf([['one'], ['two', 'three'], ['ours']])
  const found = await provisioning.findContainer('ours', { url: URL_OF_OURS })
  assert.deepEqual(found, { id: 'MG-ours', differs: [] })
  const services = 'https://m.test/v1/Services?PageSize=500'
  assert.deepEqual(requests, [
    services,
    `${services}&Page=1&PageToken=t1`,
    `${services}&Page=2&PageToken=t2`,
  ])
})

test('a messaging service that no page has is missing, and endless pages are not followed forever', async () => {
  const { provisioning, requests } = clientOf(Array.from({ length: 100 }, (_, i) => [`s${i}`]))
  assert.equal(await provisioning.findContainer('ours', { url: URL_OF_OURS }), null)
  assert.equal(requests.length, 20)
})
