// The numbers of every provider: what is requested for each operation, and what each response means. A new provider
// that sells numbers gets its own cases.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createProviderClient } from '../../../src/carriers/providers/provider-client.js'
import { PROVIDERS } from '../../../src/carriers/providers/providers.js'
import type { NumberSource } from '../../../src/numbers/number-source.js'
import { accountOf, type ProviderName } from '../provider-messages.js'
import { BANDWIDTH_NUMBERS } from './bandwidth-numbers.js'
import { ADDRESSES, type Peer, SIGNATURES, startPeer } from './exchange.js'
import { CALLBACK_URL, type NumberCase, type NumberCases } from './number-cases.js'
import { TELNYX_RELEASES_REGISTERED } from './telnyx-binding.js'
import { TELNYX_NUMBERS } from './telnyx-numbers.js'
import { TWILIO_NUMBERS } from './twilio-numbers.js'

const CASES: Record<ProviderName, NumberCases> = {
  ...{ telnyx: TELNYX_NUMBERS, bandwidth: BANDWIDTH_NUMBERS, twilio: TWILIO_NUMBERS },
}

/** More fields of the links. */
const FIELDS: Record<ProviderName, Record<string, unknown>> = {
  ...{ telnyx: { numbers: {} }, twilio: { numbers: {} } },
  bandwidth: { numbers: { siteId: '11', locationId: '22' } },
}

function sourceAt(t: TestContext, { url }: Peer, name: ProviderName, more = {}): NumberSource {
  const { codes } = PROVIDERS.find((one) => one.name === name)!
  const fields = { ...ADDRESSES[name](url), ...FIELDS[name], ...more }
  const { create, parseError, profiles } = accountOf(name, fields).numbers!
  const client = createProviderClient({ codes, parseError, timeoutMs: 60_000 })
  t.after(() => client.close())
  const terms = { link: 'acme', monthlyPriceMicros: 1n, settleMs: 1_000 }
  return create({ ...terms, profiles, callbackUrl: CALLBACK_URL }, client)
}

for (const name of Object.keys(CASES) as ProviderName[]) {
  for (const [operation, cases] of Object.entries<readonly NumberCase[]>(CASES[name])) {
    test(`${name}: ${operation} of numbers sends these requests and understands each response`, async (t) => {
      const peer = await startPeer(t)
      const source = sourceAt(t, peer, name)
      for (const one of cases) await peer.play(source, SIGNATURES[name], one)
    })
  }
}

test('each operation of every provider has cases', async (t) => {
  const peer = await startPeer(t)
  for (const { name } of PROVIDERS) {
    const source = sourceAt(t, peer, name as ProviderName)
    const operations = Object.entries(source)
      .filter(([operation, value]) => typeof value === 'function' && operation !== 'profileOf')
      .map(([operation]) => operation)
    assert.deepEqual(Object.keys(CASES[name as ProviderName]).sort(), operations.sort(), name)
  }
})

test('telnyx: a number leaves its registered campaign before it is released', async (t) => {
  const peer = await startPeer(t)
  const source = sourceAt(t, peer, 'telnyx', { registration: { mock: false } })
  for (const one of TELNYX_RELEASES_REGISTERED) await peer.play(source, SIGNATURES.telnyx, one)
})
