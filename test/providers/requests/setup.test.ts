// The setup of every provider: what is requested for each operation, and what each response means. A new provider with
// a setup gets its own cases.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { providerWithSetup } from '../../../src/carriers/providers/providers.js'
import {
  createSetupClient,
  type ProvisioningClient,
} from '../../../src/carriers/providers/provisioning.js'
import { LINK_FIELDS, type ProviderName } from '../provider-messages.js'
import { BANDWIDTH_LOCATION, BANDWIDTH_SETUP } from './bandwidth-setup.js'
import { ADDRESSES, basic, type Peer, SIGNATURES, startPeer } from './exchange.js'
import type { SetupCase, SetupCases } from './setup-cases.js'
import { TELNYX_SETUP } from './telnyx-setup.js'
import { TWILIO_SETUP } from './twilio-setup.js'

const CASES: Record<ProviderName, SetupCases> = {
  ...{ telnyx: TELNYX_SETUP, bandwidth: BANDWIDTH_SETUP, twilio: TWILIO_SETUP },
}

function openAt(
  t: TestContext,
  { url }: Pick<Peer, 'url'>,
  name: ProviderName,
  more: Record<string, string> = {},
): ProvisioningClient {
  const provider = providerWithSetup(name)
  const http = createSetupClient(provider, { timeoutMs: 60_000, allowPrivate: true })
  t.after(() => http.close())
  const own = { ...LINK_FIELDS[name], ...ADDRESSES[name](url), ...more }
  const values = provider.setup.fields.flatMap(({ name }) => {
    const value = (own as Record<string, unknown>)[name]
    return value === undefined ? [] : [[name, String(value)]]
  })
  return provider.setup.open(Object.fromEntries(values), http)
}

/** The address of the peer is known only now. */
function atPeer({ url }: Peer, one: SetupCase): SetupCase {
  return {
    ...one,
    result: JSON.parse(JSON.stringify({ is: one.result }).replaceAll('PEER', url)).is,
  }
}

for (const name of Object.keys(CASES) as ProviderName[]) {
  for (const [operation, cases] of Object.entries<readonly SetupCase[]>(CASES[name])) {
    test(`${name}: ${operation} of the setup sends these requests and understands each response`, async (t) => {
      const peer = await startPeer(t)
      for (const one of cases) {
        await peer.play(openAt(t, peer, name), SIGNATURES[name], atPeer(peer, one))
      }
    })
  }

  test(`${name}: each operation of the setup has cases`, (t) => {
    const operations = Object.keys(openAt(t, { url: 'http://x.test' }, name))
    assert.deepEqual(Object.keys(CASES[name]).sort(), operations.sort())
  })
}

test('bandwidth: a location is linked to the application', async (t) => {
  const peer = await startPeer(t)
  const place = { siteId: '11', locationId: '22' }
  for (const one of BANDWIDTH_LOCATION) {
    await peer.play(openAt(t, peer, 'bandwidth', place), SIGNATURES.bandwidth, one)
  }
  for (const half of [{ siteId: '11' }, { locationId: '22' }]) {
    assert.equal(openAt(t, peer, 'bandwidth', half).tie, undefined)
  }
})

test('twilio: an API key is used for all but the account itself', async (t) => {
  const peer = await startPeer(t)
  const key = { apiKey: 'SK1', apiSecret: 'sec' }
  for (const one of Object.values<readonly SetupCase[]>(CASES.twilio).flat()) {
    const client = openAt(t, peer, 'twilio', key)
    const sign = (request: string) => {
      const isOfAccount = /\/(?:AC0+|Balance)\.json$/.test(request)
      const own = SIGNATURES.twilio(request)
      return isOfAccount ? own : { ...own, authorization: basic('SK1:sec') }
    }
    await peer.play(client, sign, atPeer(peer, one))
  }
})
