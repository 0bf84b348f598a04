// A refused request of every provider's setup: the operator reads what was refused, unless the setup can do without it.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import {
  PROVIDERS_WITH_SETUP,
  providerWithSetup,
} from '../../../src/carriers/providers/providers.js'
import {
  createSetupClient,
  type ProvisioningClient,
} from '../../../src/carriers/providers/provisioning.js'
import { RemoteFault } from '../../../src/kit/http-client/remote-fault.js'
import { LINK_FIELDS, type ProviderName } from '../provider-messages.js'
import { ADDRESSES } from './exchange.js'
import { NAME, OWNED, TEST } from './setup-cases.js'

/** By operation: what its request is called. Null: a refusal only means that nothing is known. */
const REQUESTS: Record<ProviderName, Record<string, string | null>> = {
  telnyx: {
    ...{ check: 'its messaging profiles', publicKey: null },
    ...{ findContainer: 'its messaging profiles', createContainer: 'a messaging profile' },
    ...{ changeContainer: 'a change of the messaging profile', listNumbers: 'its numbers' },
    ...{ putNumber: 'the number’s profile', isRegistered: null },
    ...{ send: 'the test message', outcomeOf: 'the test message' },
  },
  bandwidth: {
    ...{ check: 'its applications', findContainer: 'its applications' },
    ...{ createContainer: 'an application', changeContainer: 'a change of the application' },
    ...{ listNumbers: 'its numbers', isTied: 'the location', tie: 'the location’s application' },
    ...{ send: 'the test message', outcomeOf: 'the test message' },
  },
  twilio: {
    ...{ check: 'the account', findContainer: 'its messaging services' },
    ...{ createContainer: 'a messaging service', listNumbers: 'its numbers' },
    ...{ changeContainer: 'a change of the messaging service', isRegistered: null },
    putNumber: 'the number’s messaging service',
    ...{ send: 'the test message', outcomeOf: 'the test message' },
  },
}

const CALLBACKS = { url: null, user: 'cu', password: 'hush-hush-hush' }
const ARGUMENTS: Record<string, readonly unknown[]> = {
  ...{ findContainer: [NAME, CALLBACKS], createContainer: [NAME, CALLBACKS] },
  ...{ changeContainer: ['c-1', CALLBACKS], putNumber: [OWNED, 'c-1'], isTied: ['c-1'] },
  ...{ tie: ['c-1'], isRegistered: [OWNED, 'c-1'], send: [{ ...TEST, statusUrl: null }] },
  outcomeOf: ['m-1'],
}

/** Every request gets this status. Bandwidth has a location. */
async function clientAt(t: TestContext, name: ProviderName, status: number) {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(status).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const provider = providerWithSetup(name)
  const http = createSetupClient(provider, { timeoutMs: 60_000, allowPrivate: true })
  t.after(async () => {
    await http.close()
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const place = { siteId: '1', locationId: '2' }
  const values = { ...LINK_FIELDS[name], ...ADDRESSES[name](url), ...place }
  return provider.setup.open(values as Record<string, string>, http)
}

function run(client: ProvisioningClient, operation: string): Promise<unknown> {
  const operations = client as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  return operations[operation]!(...(ARGUMENTS[operation] ?? []))
}

for (const { name: text, title } of PROVIDERS_WITH_SETUP) {
  const name = text as ProviderName
  test(`${name}: a refused request of the setup is named`, async (t) => {
    const client = await clientAt(t, name, 400)
    for (const [operation, what] of Object.entries(REQUESTS[name])) {
      const outcome = await run(client, operation).catch((error: unknown) => error)
      if (what === null) assert.equal(outcome, null, operation)
      else {
        assert.ok(outcome instanceof RemoteFault, operation)
        assert.equal(outcome.message, `${title} refused ${what} (HTTP 400).`, operation)
      }
    }
  })
}
